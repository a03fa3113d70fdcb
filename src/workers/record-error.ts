// What went wrong in a worker, kept where a person finds it: one row for each distinct error of a block or transaction. An
// error that comes back is counted and open again. Secrets are taken out, and nothing hostile can keep it from being kept.

import { createHash } from "node:crypto"
import type { BlockRange } from "../domain/block-range.js"
import type { Hex } from "../domain/linked-block.js"
import { describeError, IndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import type { Queryable } from "../postgres/transaction.js"

export type ErrorSeverity = "warning" | "error"

export interface WorkerFault {
  readonly worker: string
  readonly height: number
  /** Left out: the block as a whole. */
  readonly transactionId?: Hex | null
  readonly error: unknown
  readonly severity?: ErrorSeverity
  /** What it failed on; its first 4,096 bytes are kept. */
  readonly rawData?: string | Uint8Array | null
  /** Where the whole of it is. */
  readonly rawRef?: string | null
}

const maxRawBytes = 4_096
const maxMessageLength = 2_000

export async function recordError(sql: Queryable, fault: WorkerFault): Promise<void> {
  const message = messageOf(fault.error)
  await sql.query(
    `insert into app.indexing_errors
       (worker_name, block_height, transaction_id, error_hash, error_message, severity, raw_data, raw_ref)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict on constraint indexing_errors_key do update set
       resolved = false, seen = indexing_errors.seen + 1, error_message = excluded.error_message,
       severity = excluded.severity, raw_data = coalesce(excluded.raw_data, indexing_errors.raw_data),
       raw_ref = coalesce(excluded.raw_ref, indexing_errors.raw_ref), updated_at = clock_timestamp()`,
    [
      fault.worker,
      fault.height,
      fault.transactionId == null ? null : Buffer.from(fault.transactionId.slice(2), "hex"),
      errorHash(fault),
      message,
      fault.severity ?? "error",
      rawBytes(fault.rawData),
      fault.rawRef == null ? null : withoutNul(fault.rawRef),
    ],
  )
}

/** The same for the same fault of another block: heights, counts and hex words in the message do not count. */
export function errorHash({ worker, error }: Pick<WorkerFault, "worker" | "error">): Buffer {
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

/** Call in the transaction that stores the range: what was derived after all is no error any more. Gives how many. */
export async function resolveErrors(
  sql: Queryable,
  { workers, range }: { workers: readonly string[]; range: BlockRange },
): Promise<number> {
  const { rowCount } = await sql.query(
    `update app.indexing_errors set resolved = true, updated_at = clock_timestamp()
     where worker_name = any ($1) and block_height >= $2 and block_height < $3 and not resolved`,
    [workers, range.from, range.to],
  )
  return rowCount ?? 0
}

function messageOf(error: unknown): string {
  const text = withoutNul(scrubText(describeError(error)))
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text
}

const withoutNul = (text: string): string => text.replaceAll("\0", "\ufffd")

function rawBytes(data: string | Uint8Array | null | undefined): Buffer | null {
  if (data == null) return null
  if (typeof data !== "string") return Buffer.from(data.subarray(0, maxRawBytes))
  // No more characters than bytes are kept, so a huge text is not encoded as a whole.
  const bytes = Buffer.from(data.slice(0, maxRawBytes))
  let end = Math.min(bytes.length, maxRawBytes)
  // Not in the middle of a character, else it is no text any more.
  while (end < bytes.length && end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}
