// Records what went wrong with a block: one row for each distinct error of a block or transaction, in the database of the
// worker's leases. A repeated error is counted and reopened. Secrets are removed, every field is bounded, and hostile input
// cannot prevent the insert.

import { createHash } from "node:crypto"
import type { BlockRange } from "../domain/block-range.js"
import { describeError, IndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import type { Queryable } from "../postgres/transaction.js"
import { errorDetails } from "./error-details.js"

export type ErrorSchema = "raw" | "app"

export interface IndexingFault {
  readonly worker: string
  readonly range: BlockRange
  /** The block at fault; if unknown, the error is recorded at the first block of the range. */
  readonly height?: number | undefined
  readonly error: unknown
  /** A bug of Tidemark's own: no retry fixes it. */
  readonly isBug?: boolean
}

const maxRawBytes = 4_096
const maxMessageLength = 2_000

/**
 * Not fenced; called after the range was released or reaped. FATAL if that made the block DEAD, and so are its earlier
 * errors then. Nothing is recorded for a block that another process has done meanwhile.
 */
export async function recordError(
  sql: Queryable,
  schema: ErrorSchema,
  { worker, range, height = range.from, error, isBug = false }: IndexingFault,
): Promise<void> {
  const { transactionId, rawData, rawRef } = errorDetails(error)
  const {
    rows: [recorded],
  } = await sql.query<{ severity: string }>(
    `insert into ${schema}.indexing_errors
       (worker_name, block_height, transaction_id, error_hash, error_message, severity, raw_data, raw_ref)
     select $1, $2::int8, $3::bytea, $4::bytea, $5,
       case when $6 or exists (select 1 from ${schema}.worker_leases
         where worker_type = $1 and from_height = $2::int8 and status = 'DEAD') then 'FATAL' else 'WARN' end,
       $7::bytea, $8
     where not exists (select 1 from ${schema}.coverage where worker_type = $1 and heights @> $2::int8)
     on conflict on constraint indexing_errors_key do update set
       resolved = false, seen = indexing_errors.seen + 1, error_message = excluded.error_message,
       severity = excluded.severity, raw_data = coalesce(excluded.raw_data, indexing_errors.raw_data),
       raw_ref = coalesce(excluded.raw_ref, indexing_errors.raw_ref), updated_at = clock_timestamp()
     returning severity`,
    [
      worker,
      height,
      transactionId === undefined ? null : Buffer.from(transactionId.slice(2), "hex"),
      errorHash({ worker, error }),
      messageOf(error),
      isBug,
      rawBytes(rawData),
      // A worker's input is stored in raw; what raw could not store is at the node.
      rawRef === undefined ? (schema === "app" ? `raw.blocks/${height}` : null) : withoutNul(rawRef),
    ],
  )
  if (isBug || recorded?.severity !== "FATAL") return
  await sql.query(
    `update ${schema}.indexing_errors set severity = 'FATAL'
     where worker_name = $1 and block_height = $2 and not resolved`,
    [worker, height],
  )
}

/** Equal for the same fault at different blocks: numbers and hex words in the message are ignored. */
export function errorHash({ worker, error }: Pick<IndexingFault, "worker" | "error">): Buffer {
  const code = error instanceof IndexerError ? error.code : "BUG"
  const message = messageOf(error)
    .replace(/0x[0-9a-f]+/gi, "#")
    .replace(/\d+/g, "#")
    .replace(/\s+/g, " ")
    .toLowerCase()
  return createHash("sha256")
    .update(JSON.stringify([worker, code, message]))
    .digest()
}

function messageOf(error: unknown): string {
  const text = withoutNul(scrubText(describeError(error)))
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text
}

const withoutNul = (text: string): string => text.replaceAll("\0", "\ufffd")

function rawBytes(data: string | Uint8Array | undefined): Buffer | null {
  if (data === undefined) return null
  if (typeof data !== "string") return Buffer.from(data.subarray(0, maxRawBytes))
  // Cut before encoding, so that a huge text is not encoded as a whole.
  const bytes = Buffer.from(data.slice(0, maxRawBytes))
  let end = Math.min(bytes.length, maxRawBytes)
  // Not in the middle of a character.
  while (end < bytes.length && end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}

/** For the runner of leased ranges. */
export const recordCharges =
  (schema: ErrorSchema) =>
  (charge: IndexingFault & { readonly code: string }, sql: Queryable): Promise<void> =>
    recordError(sql, schema, { ...charge, isBug: charge.code === "BUG" })
