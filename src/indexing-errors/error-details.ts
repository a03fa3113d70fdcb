// Where an error happened: the transaction, the data it failed on, and where that data is stored. Read from fields of the
// error or of its `data`, which built-in workers and a user's workers can set.

import type { Hex } from "../domain/linked-block.js"

export interface ErrorDetails {
  readonly transactionId?: Hex
  /** What it failed on. */
  readonly rawData?: string | Uint8Array
  /** Where all of it is stored. */
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
