// What every step of a rollback needs of its chain.

import type { JobQueue } from "../coordination/job-queue.js"
import type { Ledgers } from "../coordination/ledgers.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Random } from "../platform/random.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import type { StoredRegistry } from "../workers/postgres/stored-registry.js"

export interface RollbackDeps {
  readonly raw: SqlExecutor
  readonly app: SqlExecutor
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  /** Deletes what was observed at the removed heights. */
  readonly family: {
    forgetObserved(jobs: JobQueue, tx: Queryable, options: { readonly removed: BlockRange }): Promise<void>
  }
  readonly random: Random
}
