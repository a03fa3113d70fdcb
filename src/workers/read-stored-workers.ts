// Reads the workers that this database has tables for, for status and operators.

import type { Queryable } from "../postgres/transaction.js"

export interface StoredWorker {
  readonly name: string
  readonly version: number
  /** Without the raw ingester, on which all depend. */
  readonly dependencies: readonly string[]
  readonly tables: readonly string[]
  readonly paused: boolean
  readonly pausedReason: string | null
  readonly concurrency: number | null
}

type WorkerRow = Omit<StoredWorker, "pausedReason"> & { readonly paused_reason: string | null }

/** By name. */
export async function readStoredWorkers(sql: Queryable): Promise<readonly StoredWorker[]> {
  const { rows } = await sql.query<WorkerRow>(
    `select name, version, dependencies, tables, paused, paused_reason, concurrency from app.workers order by name`,
  )
  return rows.map(({ paused_reason: pausedReason, ...row }) => ({ ...row, pausedReason }))
}
