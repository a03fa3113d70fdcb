// Where derived rows go, as the runtime sees it. Everything happens in the transaction of the commit; nothing here knows
// about leases. Postgres is one implementation, the simulator's memory another.

import type { BlockRange } from "../domain/block-range.js"
import type { Emit, UpstreamRow, WorkerTables } from "./worker-definition.js"

/** Rows of one worker that were emitted and not yet written. */
export interface EmittedRows {
  /** One function a table of the worker; throws WORKER_FAILED for a row that does not fit. */
  readonly emit: Emit<WorkerTables>
  readonly byteLength: number
  /** Emitted and not yet written. */
  readonly pendingRows: number
  /** Emitted since the last reset, written or not. */
  rowsOf(table: string): number
  /** Rows of this block follow. */
  startBlock(height: number): void
  /** Forgets what was not written. */
  reset(): void
}

export interface DerivedStore<Tx, Sink extends EmittedRows = EmittedRows> {
  createSink(worker: string): Sink
  /** Writes what the sink holds and empties it. */
  append(tx: Tx, sink: Sink): Promise<void>
  /** Rows of an event table in key order, by height. */
  readRows(
    tx: Tx,
    request: { readonly table: string; readonly range: BlockRange },
  ): Promise<ReadonlyMap<number, readonly UpstreamRow[]>>
  /** Brings the worker's state tables forward by the event rows of the range. */
  applyFolds(tx: Tx, request: FoldRequest): Promise<void>
  /** Whether a session that derives the tip waits for this transaction right now. */
  holdsUpTip(tx: Tx): Promise<boolean>
  /** What was wrong with these blocks no longer is. */
  resolveErrors(tx: Tx, request: { readonly workers: readonly string[]; readonly range: BlockRange }): Promise<void>
}

export interface FoldRequest {
  readonly worker: string
  readonly range: BlockRange
  /** Event tables that have no rows in this range: what is folded from nothing else need not be looked at. */
  readonly without?: ReadonlySet<string>
}
