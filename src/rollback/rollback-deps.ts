// What every step of a rollback needs of its chain.

import type { Ledgers } from "../coordination/ledgers.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { ChainFamily } from "../families/chain-family.js"
import type { Random } from "../platform/random.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import type { StoredRegistry } from "../workers/postgres/stored-registry.js"
import type { RollbackWatch } from "./rollback-watch.js"

export interface RollbackDeps {
  readonly raw: SqlExecutor
  readonly app: SqlExecutor
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  readonly family: Pick<ChainFamily, "forgetObserved" | "rawTables">
  readonly random: Random
  /** What this process does with a rollback, for people. */
  readonly watch?: RollbackWatch | undefined
  /** Connections for a rollback that would keep those of the services for long; undefined for one that does not. */
  readonly apart?: ((intent: RollbackIntent) => Promise<RollbackStores | undefined>) | undefined
  /** How many heights are undone at once, for tests. */
  readonly pieceBlocks?: number
}

export type RollbackStores = Pick<RollbackDeps, "raw" | "app">
