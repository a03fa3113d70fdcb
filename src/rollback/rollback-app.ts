// Step 1: the app database goes back first, so that at all times what is derived stems from raw blocks that are there. One transaction
// that looks, under the exclusive chain lock, whether it was done already.

import { chainLock, coordinationTables } from "../coordination/postgres/coordination-tables.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Random } from "../platform/random.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
import { printMultirange, printRange } from "../postgres/multirange.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable, TransactionOptions } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import { readWorkerCoverage, undoHeights } from "../workers/postgres/undo-heights.js"
import type { RollbackIntent } from "./rollback-intent.js"

const tables = coordinationTables("app")
export const rollbackLimits: TransactionOptions = {
  statementTimeoutMs: 600_000,
  // Who is waited for may have fallen silent, and the connection that waits be the only one a reaper could end it by. Less than a reaper
  // waits for a connection.
  lockTimeoutMs: 3_000,
  idleInTransactionTimeoutMs: 10_000,
}

export interface AppRollbackDeps<Tx extends Queryable> {
  readonly app: SqlExecutor<Tx>
  readonly random: Random
  /** Of a process that rolls back more than once. */
  readonly storedWorkers?: StoredRegistry
  /** Takes back what it observed beside the blocks. */
  readonly family: {
    forgetObserved(tx: Queryable, options: { readonly removed: BlockRange }): Promise<void>
  }
}

export function rollbackApp<Tx extends Queryable>(
  { app, random, family, storedWorkers = new StoredRegistry() }: AppRollbackDeps<Tx>,
  { id, epoch, from, to, reason }: RollbackIntent,
  { unflushed = false }: Pick<TransactionOptions, "unflushed"> = {},
): Promise<void> {
  const options = { ...rollbackLimits, unflushed }
  return app.transaction(async (transaction) => {
    const tx = keptPrepared(transaction)
    // The lock first, and then in statements of their own: another process may have done it while this one waited.
    const [, done, registry, covered] = await allAnswered([
      tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock]),
      tx.query(`select 1 from ${tables.rollbacks} where id = $1`, [id]),
      storedWorkers.read(tx),
      readWorkerCoverage(tx),
    ])
    if (done.rows.length > 0) return
    const removed = { from, to }
    const uncovered = tx.query(
      `update ${tables.coverage}
       set heights = heights - $2::int8multirange, skipped = skipped - $2::int8multirange, updated_at = clock_timestamp()
       where worker_type = $1`,
      [rawIngester, printMultirange([removed])],
    )
    const workers = registry.workers.map(({ name }) => name)
    await allAnswered([
      uncovered,
      undoHeights({ registry, random }, tx, { workers, removed: [removed], covered }),
      family.forgetObserved(tx, { removed }),
      tx.query(
        `insert into ${tables.rollbacks} (id, epoch, removed, reason) values ($1, $2, $3::int8range, $4)`,
        [id, epoch, printRange(removed), reason],
      ),
      tx.query(`update ${tables.chainState} set chain_epoch = greatest(chain_epoch, $1::int8)`, [epoch]),
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
