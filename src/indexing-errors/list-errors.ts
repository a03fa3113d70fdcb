// Errors as people ask for them: newest first, and how many are open.

import type { Hex } from "../domain/linked-block.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ErrorSchema } from "./record-error.js"

export interface StoredError {
  readonly worker: string
  readonly height: number
  readonly transactionId: Hex | null
  readonly message: string
  /** FATAL: a person has to do something. WARN: it is tried again by itself. */
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

interface ErrorRow {
  worker_name: string
  block_height: string
  transaction_id: Buffer | null
  error_message: string
  severity: StoredError["severity"]
  resolved: boolean
  seen: string
  raw_data: Buffer | null
  raw_ref: string | null
  created_at: Date
  updated_at: Date
}

export async function listErrors(
  sql: Queryable,
  schema: ErrorSchema,
  { worker, resolved, limit = 100 }: ListErrorsOptions = {},
): Promise<StoredError[]> {
  const { rows } = await sql.query<ErrorRow>(
    `select worker_name, block_height, transaction_id, error_message, severity, resolved, seen, raw_data, raw_ref,
       created_at, updated_at
     from ${schema}.indexing_errors
     where ($1::text is null or worker_name = $1) and ($2::boolean is null or resolved = $2)
     order by updated_at desc, worker_name, block_height, error_hash limit $3`,
    [worker ?? null, resolved ?? null, Math.min(limit, 1_000)],
  )
  return rows.map((row) => ({
    worker: row.worker_name,
    height: heightFrom(row.block_height),
    transactionId: row.transaction_id ? `0x${row.transaction_id.toString("hex")}` : null,
    message: row.error_message,
    severity: row.severity,
    resolved: row.resolved,
    seen: Number(row.seen),
    rawData: row.raw_data,
    rawRef: row.raw_ref,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

/** By worker; those without one are left out. */
export async function countOpenErrors(sql: Queryable, schema: ErrorSchema): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ worker_name: string; count: string }>(
    `select worker_name, count(*) as count from ${schema}.indexing_errors where not resolved group by worker_name`,
  )
  return new Map(rows.map((row) => [row.worker_name, Number(row.count)]))
}
