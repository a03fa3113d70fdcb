// The contract of rollback records: the one that is under way, those that each database has been through, and the chain's epoch.

import type { BlockRange } from "../domain/block-range.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Covered } from "./coverage-ledger.js"

export interface RollbackRecord {
  readonly id: string
  readonly epoch: number
  readonly removed: BlockRange
  /** In words; null where an older release rolled back. */
  readonly reason: string | null
}

/** What is compared when a database may have gone back. */
export interface StoreState extends Covered {
  readonly epoch: number
  /** When the server was started: another time is another server, or one that may have lost what it had. */
  readonly server: string
  /** A rollback is under way. */
  readonly open: boolean
  readonly rollbacks: readonly RollbackRecord[]
}

/** Enough to see that nothing has changed. The list of rollbacks is never cut, and would be read in vain every second. */
interface StoreSight extends Covered {
  readonly epoch: number
  /** No rollback is open, and the server was compared. */
  readonly settled: boolean
  readonly rollbacks: number
  readonly lastRollback: string | null
}

export interface RollbackLedger {
  readState(sql: Queryable): Promise<StoreState | undefined>
  readSight(sql: Queryable): Promise<StoreSight | undefined>
  hasRollback(tx: Queryable, id: string): Promise<boolean>
  recordRollback(tx: Queryable, rollback: RollbackRecord): Promise<void>
  raiseEpoch(tx: Queryable, epoch: number): Promise<void>
}

/** The rollback that is under way, as raw records it before anything is deleted: any process can finish it. */
export interface RollbackIntent {
  readonly id: string
  readonly epoch: number
  /** What is removed: from here on, up to `to`. A reorganisation has no end, the repair of a block has. */
  readonly from: number
  readonly to: number
  /** In words; null where an older release opened it. */
  readonly reason: string | null
}

export interface OpenIntentRequest {
  readonly id: string
  readonly from: number
  /** Nothing stays above when left out. */
  readonly to?: number
  /** Of the last block that stays; null where none does. */
  readonly ancestorHash: string | null
  /** The chain's epoch at which the comparison was made: it is void when another rollback came first. */
  readonly epoch: number
  /** For a raw database that went back: its next epoch is above this one too, and a halt stays. */
  readonly above?: number
  /** Why, for whoever reads the list of rollbacks. */
  readonly reason: string
}

export interface IntentLedger {
  readIntent(sql: Queryable): Promise<RollbackIntent | undefined>
  /** Returns false when another rollback is open, or was finished meanwhile: then nothing happened. */
  openIntent(sql: Queryable, request: OpenIntentRequest): Promise<boolean>
  /** Records the open rollback as done, with the highest height that was covered before it. */
  closeIntent(tx: Queryable, closed: { epoch: number; highest: number | null }): Promise<void>
  /** The highest height covered, now or before any rollback; 0 where there is none. */
  highestEverCovered(sql: Queryable): Promise<number>
  /** From now on raw may store on this server. Nothing happens where it is another one by now. */
  recordComparison(sql: Queryable, server: string): Promise<void>
}
