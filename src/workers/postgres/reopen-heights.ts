// Reopens heights that a worker had finished or skipped, for it and its dependents, so that they are derived again. One
// transaction under the exclusive chain lock, so that no process that has read the old rows can commit.

import type { CoverageLedger } from "../../coordination/coverage-ledger.js"
import { type RangeSet, subtract, union } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { SqlExecutor } from "../../postgres/transaction.js"
import type { StoredRegistry } from "./stored-registry.js"
import { undoHeights } from "./undo-heights.js"

export interface ReopenRequest {
  readonly worker: string
  readonly heights: RangeSet
  readonly actor: string
  /** What a person did: "retry", "rederive", "repair". */
  readonly action: string
}

const limits = { statementTimeoutMs: 60_000, idleInTransactionTimeoutMs: 10_000 } as const

export interface ReopenDeps {
  readonly app: SqlExecutor
  readonly ledgers: { readonly app: CoverageLedger }
  readonly storedWorkers: StoredRegistry
}

/** Returns false when the worker does not cover or skip all of them: then nothing changed. */
export function reopenHeights(
  { app, ledgers: { app: ledger }, storedWorkers }: ReopenDeps,
  { worker, heights, actor, action }: ReopenRequest,
): Promise<boolean> {
  return app.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    const registry = await storedWorkers.read(tx)
    const covered = (await ledger.readCoverage(tx)).get(worker)
    if (!covered || !registry.worker(worker)) return false
    if (subtract(heights, union(covered.heights, covered.skipped)).length > 0) return false
    const workers = [worker, ...registry.dependentsOf(worker).map(({ name }) => name)]
    // A claim does not take the chain lock: one made after the leases are cut would see the old coverage, keep its token,
    // and commit what it read before.
    await ledger.lockClaims(tx, workers)
    await undoHeights({ registry, ledger }, tx, { workers, removed: heights })
    const details = { worker_type: worker, heights: printMultirange(heights), dependents: workers.slice(1) }
    await ledger.writeAudit(tx, { actor, action, details })
    return true
  }, limits)
}
