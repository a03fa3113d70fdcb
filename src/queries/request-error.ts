// An answer that is not data: its HTTP status, a code that clients match, and details they can act on.

/** With their HTTP status. */
export const requestErrors = {
  BAD_REQUEST: 400,
  BUSY: 429,
  CONFIRMATION_VOID: 409,
  CURSOR_INVALID: 400,
  CURSOR_ROLLED_BACK: 409,
  FILTER_NOT_INDEXED: 400,
  METHOD_NOT_ALLOWED: 405,
  NOT_AT_BLOCK: 400,
  NOT_FOUND: 404,
  NOT_REACHED: 504,
  OPERATION_NOT_SUPPORTED: 400,
  QUERY_TOO_COMPLEX: 400,
  QUERY_TOO_LARGE: 422,
  RATE_LIMITED: 429,
  ROLLBACK_IN_PROGRESS: 503,
  SCHEMA_CHANGED: 503,
  TOO_MANY_EVENTS: 422,
  TOO_MANY_EXPORTS: 429,
  TOO_MANY_STREAMS: 429,
  UNAUTHORIZED: 401,
} as const

type RequestErrorCode = keyof typeof requestErrors

export class RequestError extends Error {
  override readonly name = "RequestError"
  readonly statusCode: number

  constructor(
    readonly code: RequestErrorCode,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.statusCode = requestErrors[code]
  }
}
