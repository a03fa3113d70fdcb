// A request that was refused or could not be made. `code` is what programs match.

export class TidemarkError extends Error {
  override readonly name = "TidemarkError"
  /** Of the answer, such as `CURSOR_ROLLED_BACK`; `UNREACHABLE` without one, `BAD_ANSWER` for one that is no JSON. */
  readonly code: string
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    given: {
      readonly code: string
      readonly status: number
      readonly details?: Readonly<Record<string, unknown>> | undefined
      readonly cause?: unknown
    },
  ) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause })
    this.code = given.code
    this.status = given.status
    this.details = given.details ?? {}
  }
}
