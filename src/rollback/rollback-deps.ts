// What every step of a rollback needs of its chain.

import type { Ledgers } from "../coordination/ledgers.js"
import type { ChainFamily } from "../families/chain-family.js"
import type { Random } from "../platform/random.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import type { StoredRegistry } from "../workers/postgres/stored-registry.js"

export interface RollbackDeps {
  readonly raw: SqlExecutor
  readonly app: SqlExecutor
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  readonly family: Pick<ChainFamily, "forgetObserved" | "rawTables">
  readonly random: Random
}
