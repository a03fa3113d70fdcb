// Lists errors, newest first, and counts the open ones.

import type { Hex } from "../domain/linked-block.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ErrorSchema } from "./record-error.js"

export interface StoredError {
  readonly worker: string
  readonly height: number
  readonly transactionId: Hex | null
  readonly message: string
  /** FATAL: a person has to act. WARN: the block is retried. */
  readonly severity: "WARN" | "FATAL"
  readonly resolved: boolean
  readonly seen: number
  readonly rawData: Buffer | null
  readonly rawRef: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ListErrorsOptions {
  readonly worker?: string
  /** Left out: both. */
  readonly resolved?: boolean
  readonly limit?: number
}

type ErrorRow = Omit<StoredError, "height" | "transactionId" | "seen"> & {
  readonly height: string
  readonly transactionId: Buffer | null
  readonly seen: string
}

export async function listErrors(
  sql: Queryable,
  schema: ErrorSchema,
  { worker, resolved, limit = 100 }: ListErrorsOptions = {},
): Promise<StoredError[]> {
  const { rows } = await sql.query<ErrorRow & Record<string, unknown>>(
    `select worker_name as worker, block_height as height, transaction_id as "transactionId", error_message as message,
       severity, resolved, seen, raw_data as "rawData", raw_ref as "rawRef", created_at as "createdAt",
       updated_at as "updatedAt"
     from ${schema}.indexing_errors
     where ($1::text is null or worker_name = $1) and ($2::boolean is null or resolved = $2)
     order by updated_at desc, worker_name, block_height, error_hash limit $3`,
    [worker ?? null, resolved ?? null, Math.min(limit, 1_000)],
  )
  return rows.map((row) => ({
    ...row,
    height: heightFrom(row.height),
    transactionId: row.transactionId ? `0x${row.transactionId.toString("hex")}` : null,
    seen: Number(row.seen),
  }))
}

/** By worker. Workers without open errors are absent. */
export async function countOpenErrors(sql: Queryable, schema: ErrorSchema): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ worker_name: string; count: string }>(
    `select worker_name, count(*) as count from ${schema}.indexing_errors where not resolved group by worker_name`,
  )
  return new Map(rows.map((row) => [row.worker_name, Number(row.count)]))
}
