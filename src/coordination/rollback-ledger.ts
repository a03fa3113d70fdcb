// The contract of rollback records: the open one, those that each database has applied, and the chain's epoch.

import type { BlockRange } from "../domain/block-range.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Covered } from "./coverage-ledger.js"

export interface RollbackRecord {
  readonly id: string
  readonly epoch: number
  /** Null: it was cancelled before it removed anything. */
  readonly removed: BlockRange | null
  /** Null where an older release rolled back. */
  readonly reason: string | null
}

/** What is compared when a database may have lost commits. */
export interface StoreState extends Covered {
  readonly epoch: number
  /** Start time of the server: another one means another server, or one that may have lost commits. */
  readonly server: string
  /** A rollback is open. */
  readonly open: boolean
  readonly rollbacks: readonly RollbackRecord[]
}

/** Enough to see that nothing has changed. The list of rollbacks only grows and is not read every second. */
interface StoreSight extends Covered {
  readonly epoch: number
  /** No rollback is open, and the server was compared. */
  readonly settled: boolean
  /** Those of the last thousand epochs. */
  readonly rollbacks: number
  readonly lastRollback: string | null
}

export interface RollbackLedger {
  readState(sql: Queryable): Promise<StoreState | undefined>
  readSight(sql: Queryable): Promise<StoreSight | undefined>
  findRollback(tx: Queryable, id: string): Promise<Pick<RollbackRecord, "removed"> | undefined>
  recordRollback(tx: Queryable, rollback: RollbackRecord): Promise<void>
  raiseEpoch(tx: Queryable, epoch: number): Promise<void>
}

/** The open rollback, as raw records it before anything is deleted: any process can finish it. */
export interface RollbackIntent {
  readonly id: string
  readonly epoch: number
  /** What is removed: `[from, to)`. A reorganisation has no upper end, the repair of a block has. */
  readonly from: number
  readonly to: number
  /**
   * It names no block that stays below it, and cannot be cancelled: one that was opened because raw lost commits never
   * does, and only finishing it brings the two databases together.
   */
  readonly binding: boolean
  /** Null where an older release opened it. */
  readonly reason: string | null
}

export interface OpenIntentRequest {
  readonly id: string
  readonly from: number
  /** Without it, everything above is removed. */
  readonly to?: number
  /** Of the last block that stays; null if none does. */
  readonly ancestorHash: string | null
  /** The chain's epoch at the comparison, which is void if another rollback came first. */
  readonly epoch: number
  /** For a raw database that lost commits: its next epoch is above this one too, and a halt stays. */
  readonly above?: number
  readonly reason: string
}

export interface IntentLedger {
  readIntent(sql: Queryable): Promise<RollbackIntent | undefined>
  /** Returns false when another rollback is open or was finished since the comparison: then nothing changed. */
  openIntent(sql: Queryable, request: OpenIntentRequest): Promise<boolean>
  /** Records what the open rollback has removed, with the highest height covered before it. */
  closeIntent(
    tx: Queryable,
    closed: Pick<RollbackRecord, "epoch" | "removed"> & { readonly highest: number | null },
  ): Promise<void>
  /** The highest height covered, now or before any rollback; 0 if there is none. */
  highestEverCovered(sql: Queryable): Promise<number>
  /** From now on raw may store on this server. Does nothing if the server has changed again. */
  recordComparison(sql: Queryable, server: string): Promise<void>
}
