// Step 1 of a rollback. App goes back before raw, so that derived rows always come from stored raw blocks. One
// transaction, which checks under the exclusive chain lock whether the step is done already. What app records decides
// for raw too.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { BlockRange } from "../domain/block-range.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
import type { TransactionOptions } from "../postgres/transaction.js"
import { type UndoProgress, undoHeights } from "../workers/postgres/undo-heights.js"
import { announceRollback } from "./announce-rollback.js"
import type { RollbackDeps } from "./rollback-deps.js"

export const rollbackLimits: TransactionOptions = {
  statementTimeoutMs: 600_000,
  // The holder of the lock may hang, and the waiting connection may be the only one with which a reaper could end it.
  // So this is shorter than a reaper waits for a connection.
  lockTimeoutMs: 3_000,
  idleInTransactionTimeoutMs: 10_000,
}

/** Returns what app has removed: null if the rollback was cancelled. */
export function rollbackApp(
  {
    app,
    ledgers: { app: ledger, jobs },
    family,
    storedWorkers,
    watch,
    pieceBlocks,
  }: Omit<RollbackDeps, "raw" | "random">,
  { id, epoch, from, to, reason }: Omit<RollbackIntent, "binding">,
  { unflushed = false }: Pick<TransactionOptions, "unflushed"> = {},
): Promise<BlockRange | null> {
  const options = { ...rollbackLimits, unflushed }
  return app.transaction(async (transaction) => {
    const tx = keptPrepared(transaction)
    // The lock first, then separate statements: another process may have done the step while this one waited.
    const [, done, registry, covered] = await allAnswered([
      ledger.lockChain(tx, "exclusive"),
      ledger.findRollback(tx, id),
      storedWorkers.read(tx),
      ledger.readCoverage(tx),
    ])
    if (done) return done.removed
    const onProgress = (progress: UndoProgress): void => watch?.report("app", progress)
    const removed = { from, to }
    const uncovered = ledger.uncover(tx, { workers: [rawIngester], removed: [removed] })
    const workers = registry.workers.map(({ name }) => name)
    await allAnswered([
      uncovered,
      undoHeights({ registry, ledger }, tx, { workers, removed: [removed], covered, pieceBlocks, onProgress }),
      family.forgetObserved(jobs, tx, { removed }),
      ledger.recordRollback(tx, { id, epoch, removed, reason }),
      ledger.raiseEpoch(tx, epoch),
      announceRollback(tx, { id, epoch, removed }),
    ])
    return removed
  }, options)
}
