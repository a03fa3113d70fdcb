// The contract of the coverage ledger: what is done, by whom, and what a transaction that takes some of it back has to hold and write.
// Each method runs in the transaction it is given. PROTOCOL.md says which of them belong together.

import type { RangeSet } from "../domain/range-set.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import type { LeaseRow } from "./lease-store.js"

export interface Covered {
  readonly heights: RangeSet
  /** Passed over by a person: done for workers that depend on it, but without rows. */
  readonly skipped: RangeSet
}

export type CoverageByWorker = ReadonlyMap<string, Covered>

export interface WorkerCoverage extends Covered {
  readonly workerType: string
  /** Since coverage last changed; null where nothing is done. */
  readonly movedAgoMs: number | null
}

export interface CoordinationSnapshot {
  readonly coverage: readonly WorkerCoverage[]
  /** All that is unfinished. */
  readonly leases: readonly LeaseRow[]
}

/** Blocks of ranges finished within the last seconds. */
interface Throughput {
  readonly last10s: number
  readonly last60s: number
}

/** Heights of some workers. */
export interface TakenBack {
  readonly workers: readonly string[]
  readonly removed: RangeSet
}

export interface AuditEntry {
  /** user@host. */
  readonly actor: string
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface CoverageLedger {
  /** Shared by every commit, exclusive for a rollback. One for the chain, also when raw and app share a database. */
  lockChain(tx: Queryable, mode: "shared" | "exclusive"): Promise<void>
  /** No claim of these workers begins until the transaction is over, and all that were under way are there to be seen. */
  lockClaims(tx: Queryable, workers: readonly string[]): Promise<void>
  /** Makes the worker's coverage row. Safe to call from anywhere, any number of times. */
  register(sql: Queryable, worker: string): Promise<void>
  /** Deletes coverage and unfinished leases of workers. Returns false when none was registered. */
  forget(tx: Queryable, workers: readonly string[]): Promise<boolean>
  readCoverage(sql: Queryable): Promise<CoverageByWorker>
  /** Coverage and unfinished leases, as one statement sees them. */
  snapshot(sql: Queryable): Promise<CoordinationSnapshot>
  readThroughput(sql: Queryable): Promise<ReadonlyMap<string, Throughput>>
  uncover(tx: Queryable, taken: TakenBack): Promise<void>
  /** Under the exclusive chain lock: no commit is under way. Returns how many were cut or removed. */
  cutLeases(tx: Queryable, taken: TakenBack): Promise<number>
  /** What a person did, in the transaction that does it: neither is there without the other. Returns its id. */
  writeAudit(tx: Queryable, entry: AuditEntry): Promise<string>
  /** Completes an entry that was written before its outcome was known. */
  amendAudit(sql: Queryable, id: string, details: AuditEntry["details"]): Promise<void>
}

/** App's copy of what raw covers: a hint for claims, never larger than the truth. */
export interface RawCoverageCopy {
  /** Where raw's coverage ends, when app has all of it; undefined when the two are not at one epoch. */
  copyRawCoverage(stores: {
    readonly raw: Queryable
    readonly app: SqlExecutor<Queryable>
  }): Promise<number | undefined>
  /** Lowers the copy, under the exclusive chain lock. */
  replaceCopy(tx: Queryable, covered: Covered): Promise<void>
}
