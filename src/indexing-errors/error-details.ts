// What an error says of the place it happened at: which transaction, what it failed on, and where the whole of that is. Named by whoever
// throws it, as fields of the error or of its `data`; by a user's worker as well as by ours.

import type { Hex } from "../domain/linked-block.js"

export interface ErrorDetails {
  readonly transactionId?: Hex
  /** What it failed on. */
  readonly rawData?: string | Uint8Array
  /** Where the whole of it is. */
  readonly rawRef?: string
}

const maxCauses = 4

export function errorDetails(error: unknown): ErrorDetails {
  const found: { -readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] } = {}
  let at: unknown = error
  for (let depth = 0; at instanceof Error && depth < maxCauses; depth++, at = at.cause) {
    const { data } = at as { data?: unknown }
    const said = { ...(typeof data === "object" ? data : {}), ...at } as Record<string, unknown>
    const { transactionId, rawData, rawRef, detail } = said
    if (typeof transactionId === "string" && /^0x([0-9a-f]{2})+$/i.test(transactionId))
      found.transactionId ??= transactionId as Hex
    // Postgres names the row it refuses in `detail`.
    const content = rawData ?? detail
    if (typeof content === "string" || content instanceof Uint8Array) found.rawData ??= content
    if (typeof rawRef === "string") found.rawRef ??= rawRef
  }
  return found
}
