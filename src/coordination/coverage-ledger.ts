// The contract of the coverage ledger: what each worker has done, and what a transaction that removes some of it must lock and
// write. Each method runs in the transaction it is given. PROTOCOL.md says which of them belong together.

import type { RangeSet } from "../domain/range-set.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import type { LeaseRow } from "./lease-store.js"

export interface Covered {
  readonly heights: RangeSet
  /** Skipped by an operator: done for workers that depend on it, but without rows. */
  readonly skipped: RangeSet
}

export type CoverageByWorker = ReadonlyMap<string, Covered>

export interface WorkerCoverage extends Covered {
  readonly worker: string
  /** Since coverage last changed; null if nothing is done. */
  readonly movedAgoMs: number | null
}

export interface CoordinationSnapshot {
  readonly coverage: readonly WorkerCoverage[]
  /** Unfinished ones. */
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
  /** Shared for a commit, exclusive for a rollback. One for the chain, also when raw and app share a database. */
  lockChain(tx: Queryable, mode: "shared" | "exclusive"): Promise<void>
  /** No claim of these workers begins until the transaction ends, and all earlier ones are visible. */
  lockClaims(tx: Queryable, workers: readonly string[]): Promise<void>
  /** Creates the worker's coverage row if it does not exist. */
  register(sql: Queryable, worker: string): Promise<void>
  /** Deletes coverage and unfinished leases of workers. Returns false when none was registered. */
  forget(tx: Queryable, workers: readonly string[]): Promise<boolean>
  readCoverage(sql: Queryable): Promise<CoverageByWorker>
  /** Coverage and unfinished leases, read by one statement. */
  snapshot(sql: Queryable): Promise<CoordinationSnapshot>
  readThroughput(sql: Queryable): Promise<ReadonlyMap<string, Throughput>>
  uncover(tx: Queryable, taken: TakenBack): Promise<void>
  /** Under the exclusive chain lock, so that no commit is in progress. Returns how many were cut or removed. */
  cutLeases(tx: Queryable, taken: TakenBack): Promise<number>
  /** Records an operator's act in the transaction that does it. Returns its id. */
  writeAudit(tx: Queryable, entry: AuditEntry): Promise<string>
  /** Completes an entry that was written before its outcome was known. */
  amendAudit(sql: Queryable, id: string, details: AuditEntry["details"]): Promise<void>
}

/** App's copy of raw's coverage: a hint for claims, never larger than the original. */
export interface RawCoverageCopy {
  /** Returns where raw's coverage ends once app has all of it; undefined when the two are not at one epoch. */
  copyRawCoverage(stores: { readonly raw: Queryable; readonly app: SqlExecutor }): Promise<number | undefined>
  /** Lowers the copy, under the exclusive chain lock. */
  replaceCopy(tx: Queryable, covered: Covered): Promise<void>
}
