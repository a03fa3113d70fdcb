// The contract of the store of derived rows. Everything runs in the transaction of the commit; leases are not its concern.
// Implemented on Postgres and in the simulation.

import type { BlockRange } from "../domain/block-range.js"
import type { Emit, UpstreamRow, WorkerTables } from "./worker-definition.js"

/** Rows of one worker that were emitted and not yet written. */
export interface EmittedRows {
  /** One function for each event table. Throws WORKER_FAILED for a row that does not fit. */
  readonly emit: Emit<WorkerTables>
  readonly byteLength: number
  /** Emitted and not yet written. */
  readonly pendingRows: number
  /** Emitted since the last reset, written or not. */
  rowsOf(table: string): number
  /** Rows of this block follow. */
  startBlock(height: number): void
  /** Discards what was not written, and counts from zero. */
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
  /** Adds the event rows of the range to the worker's state tables. */
  applyFolds(tx: Tx, request: FoldRequest): Promise<void>
  /** Whether a session that derives the tip waits for this transaction right now. */
  holdsUpTip(tx: Tx): Promise<boolean>
  /** Closes the open errors of these blocks. */
  resolveErrors(tx: Tx, request: { readonly workers: readonly string[]; readonly range: BlockRange }): Promise<void>
}

export interface FoldRequest {
  readonly worker: string
  readonly range: BlockRange
  /** Event tables without rows in this range: folds of only these are skipped. */
  readonly without?: ReadonlySet<string>
}
