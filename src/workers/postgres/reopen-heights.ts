// Gives heights that a worker had finished or skipped back to it, to be derived anew, and with them those of everyone who
// depends on it: one transaction under the exclusive chain lock, so that nobody who has read the old rows can commit.

import { chainLock, coordinationTables } from "../../coordination/postgres/coordination-tables.js"
import { lockClaims } from "../../coordination/postgres/lock-claims.js"
import type { RangeSet } from "../../domain/range-set.js"
import type { Random } from "../../platform/random.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { SqlExecutor } from "../../postgres/sql-executor.js"
import type { Queryable } from "../../postgres/transaction.js"
import { readStoredRegistry } from "./stored-registry.js"
import { undoHeights } from "./undo-heights.js"

export interface ReopenRequest {
  readonly worker: string
  readonly heights: RangeSet
  readonly actor: string
  /** What a person did: "retry", "rederive", "repair". */
  readonly action: string
}

const tables = coordinationTables("app")
const limits = { statementTimeoutMs: 60_000, idleInTransactionTimeoutMs: 10_000 } as const

/** Returns false when the worker neither covers nor skips all of it: then nothing happened. */
export function reopenHeights<Tx extends Queryable>(
  { executor, random }: { executor: SqlExecutor<Tx>; random: Random },
  { worker, heights, actor, action }: ReopenRequest,
): Promise<boolean> {
  return executor.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    const registry = await readStoredRegistry(tx)
    const { rows } = await tx.query(
      `select 1 from ${tables.coverage} where worker_type = $1 and heights + skipped @> $2::int8multirange`,
      [worker, printMultirange(heights)],
    )
    if (rows.length === 0 || !registry.worker(worker)) return false
    const workers = [worker, ...registry.dependentsOf(worker).map(({ name }) => name)]
    // A claim asks nobody for the chain lock: one that came after the leases are cut would see the old coverage, keep its token, and commit
    // what it read before or meanwhile once the heights are there again.
    await lockClaims(tables, tx, workers)
    await undoHeights({ registry, random }, tx, { workers, removed: heights })
    await tx.query(`insert into ${tables.auditLog} (actor, action, details) values ($1, $2, $3)`, [
      actor,
      action,
      JSON.stringify({
        worker_type: worker,
        heights: printMultirange(heights),
        dependents: workers.slice(1),
      }),
    ])
    return true
  }, limits)
}
