// Forgets what a worker and all its dependents have derived: tokens, coverage, tables and registration, in one transaction. The next
// start of a process that declares them makes the tables anew and derives them from raw.

import {
  chainLock,
  coordinationTables,
  workerTablesLock,
} from "../../coordination/postgres/coordination-tables.js"
import { writeAudit } from "../../coordination/postgres/write-audit.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { SqlExecutor } from "../../postgres/sql-executor.js"
import type { Queryable } from "../../postgres/transaction.js"
import { downstreamOf } from "../downstream.js"
import { readStoredWorkers } from "../read-stored-workers.js"
import { workerSchema } from "../worker-registry.js"

export interface RederiveWorkerOptions {
  readonly worker: string
  readonly actor: string
  /** What else rests on these workers' tables and is no table of theirs. */
  readonly forget?: (tx: Queryable, workers: readonly string[]) => Promise<void>
}

export interface Rederived {
  readonly workers: readonly string[]
  readonly tables: readonly string[]
}

const limits = { lockTimeoutMs: 10_000, idleInTransactionTimeoutMs: 10_000 } as const

/**
 * Call it while nobody derives: a process that holds one of the tables would wait for the chain lock and this for the table, so the
 * database would end one of the two. Undefined when nothing of that name is known here.
 */
export function rederiveWorker(
  executor: SqlExecutor<Queryable>,
  { worker, actor, forget }: RederiveWorkerOptions,
): Promise<Rederived | undefined> {
  return executor.transaction(async (tx) => {
    // A process that starts waits here, and finds them gone.
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...workerTablesLock])
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    const stored = await readStoredWorkers(tx)
    const workers = [...new Set([worker, ...downstreamOf(stored, [worker])])]
    const tables = stored.filter(({ name }) => workers.includes(name)).flatMap((one) => one.tables)
    const { rowCount: covered } = await tx.query("delete from app.coverage where worker_type = any ($1)", [
      workers,
    ])
    if (covered === 0 && tables.length === 0) return undefined
    await tx.query("delete from app.worker_leases where worker_type = any ($1) and status <> 'COMPLETED'", [
      workers,
    ])
    for (const table of tables) await tx.query(`drop table if exists ${quoteIdentifier(workerSchema, table)}`)
    // With its rows of app.worker_tables.
    await tx.query("delete from app.workers where name = any ($1)", [workers])
    await tx.query(
      "update app.indexing_errors set resolved = true, updated_at = clock_timestamp() where worker_name = any ($1) and not resolved",
      [workers],
    )
    await forget?.(tx, workers)
    await writeAudit(coordinationTables("app"), tx, {
      actor,
      action: "rederive",
      details: { worker_type: worker, workers, tables },
    })
    return { workers, tables }
  }, limits)
}
