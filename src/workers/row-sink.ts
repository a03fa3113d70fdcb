// Where one worker's extract puts its rows: an encoder for each event table, and the open transaction behind them.

import type { SqlConnection } from "../postgres/sql-connection.js"
import { RowEncoder } from "./row-encoder.js"
import { type Emit, eventTables, type WorkerDefinition } from "./worker-definition.js"
import { workerSchema } from "./worker-registry.js"

export class RowSink {
  /** For `ExtractContext`: a function for each event table, made once. */
  readonly emit: Emit<WorkerDefinition["tables"]>
  /** Stored by flushes since the last reset, by table. */
  readonly #flushed = new Map<string, number>()
  readonly #encoders: ReadonlyMap<string, RowEncoder>

  constructor(worker: WorkerDefinition) {
    const encoders = eventTables(worker).map(([table, definition]): [string, RowEncoder] => [
      table,
      new RowEncoder({ worker: worker.name, table, definition }),
    ])
    this.#encoders = new Map(encoders)
    // Without a prototype, so that a table may have any name.
    this.emit = Object.freeze(
      Object.assign(
        Object.create(null),
        Object.fromEntries(encoders.map(([table, encoder]) => [table, encoder.encode.bind(encoder)])),
      ),
    )
  }

  /** Bytes encoded and not yet flushed. */
  get byteLength(): number {
    let bytes = 0
    for (const encoder of this.#encoders.values()) bytes += encoder.byteLength
    return bytes
  }

  /** Rows encoded and not yet flushed. */
  get pendingRows(): number {
    let rows = 0
    for (const encoder of this.#encoders.values()) rows += encoder.rows
    return rows
  }

  /** Rows since the last reset, flushed or not. */
  rowsOf(table: string): number {
    return (this.#flushed.get(table) ?? 0) + (this.#encoders.get(table)?.rows ?? 0)
  }

  /** Rows of this block follow. */
  startBlock(height: number): void {
    for (const encoder of this.#encoders.values()) encoder.startBlock(height)
  }

  /** Into the tables themselves, or into others of the same names and columns. */
  async flush(connection: SqlConnection, { schema = workerSchema } = {}): Promise<void> {
    // Before the test for rows: a view throws what was refused, even if nobody looked.
    const pending = [...this.#encoders]
      .map(([table, encoder]) => ({ table, encoder, bytes: encoder.view() }))
      .filter(({ encoder }) => encoder.rows > 0)
    const stored = await connection.copyInAll(
      pending.map(({ table, encoder, bytes }) => ({
        table: `${schema}.${table}`,
        columns: encoder.columns,
        buffers: [bytes],
      })),
    )
    for (const [at, { table, encoder }] of pending.entries()) {
      this.#flushed.set(table, (this.#flushed.get(table) ?? 0) + stored[at]!)
      encoder.reset()
    }
  }

  /** Ready for another range, in the same memory. Whatever was not flushed is forgotten. */
  reset(): void {
    this.#flushed.clear()
    for (const encoder of this.#encoders.values()) encoder.reset()
  }
}
