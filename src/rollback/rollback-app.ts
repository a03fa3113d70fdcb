// Step 1: the app database goes back first, so that at all times what is derived stems from raw blocks that are there. One transaction
// that looks, under the exclusive chain lock, whether it was done already.

import type { Ledgers } from "../coordination/ledgers.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { BlockRange } from "../domain/block-range.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable, TransactionOptions } from "../postgres/transaction.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import { undoHeights } from "../workers/postgres/undo-heights.js"

export const rollbackLimits: TransactionOptions = {
  statementTimeoutMs: 600_000,
  // Who is waited for may have fallen silent, and the connection that waits be the only one a reaper could end it by. Less than a reaper
  // waits for a connection.
  lockTimeoutMs: 3_000,
  idleInTransactionTimeoutMs: 10_000,
}

export interface AppRollbackDeps<Tx extends Queryable> {
  readonly app: SqlExecutor<Tx>
  readonly ledgers: Ledgers
  /** Of a process that rolls back more than once. */
  readonly storedWorkers?: StoredRegistry
  /** Takes back what it observed beside the blocks. */
  readonly family: {
    forgetObserved(tx: Queryable, options: { readonly removed: BlockRange }): Promise<void>
  }
}

export function rollbackApp<Tx extends Queryable>(
  { app, ledgers: { app: ledger }, family, storedWorkers = new StoredRegistry() }: AppRollbackDeps<Tx>,
  { id, epoch, from, to, reason }: RollbackIntent,
  { unflushed = false }: Pick<TransactionOptions, "unflushed"> = {},
): Promise<void> {
  const options = { ...rollbackLimits, unflushed }
  return app.transaction(async (transaction) => {
    const tx = keptPrepared(transaction)
    // The lock first, and then in statements of their own: another process may have done it while this one waited.
    const [, done, registry, covered] = await allAnswered([
      ledger.lockChain(tx, "exclusive"),
      ledger.hasRollback(tx, id),
      storedWorkers.read(tx),
      ledger.readCoverage(tx),
    ])
    if (done) return
    const removed = { from, to }
    const uncovered = ledger.uncover(tx, { workers: [rawIngester], removed: [removed] })
    const workers = registry.workers.map(({ name }) => name)
    await allAnswered([
      uncovered,
      undoHeights({ registry, ledger }, tx, { workers, removed: [removed], covered }),
      family.forgetObserved(tx, { removed }),
      ledger.recordRollback(tx, { id, epoch, removed, reason }),
      ledger.raiseEpoch(tx, epoch),
      // Whoever was told of these blocks hears that they are gone, with the id it will know a repetition by.
      tx.query(
        "insert into app.outbox (id, kind, epoch, payload) values ($1, 'rollback', $2, $3) on conflict (id) do nothing",
        [
          id,
          epoch,
          JSON.stringify({
            removed_from: String(from),
            ...(to === Number.MAX_SAFE_INTEGER ? {} : { removed_to: String(to) }),
          }),
        ],
      ),
    ])
  }, options)
}
