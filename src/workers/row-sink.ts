// Collects the rows of one worker's extract in an encoder for each event table, and copies them into the tables.

import type { SqlConnection } from "../postgres/sql-connection.js"
import type { EmittedRows } from "./derived-store.js"
import { RowEncoder } from "./row-encoder.js"
import { type Emit, eventTables, type WorkerDefinition } from "./worker-definition.js"
import { workerSchema } from "./worker-registry.js"

export class RowSink implements EmittedRows {
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

  get byteLength(): number {
    let bytes = 0
    for (const encoder of this.#encoders.values()) bytes += encoder.byteLength
    return bytes
  }

  get pendingRows(): number {
    let rows = 0
    for (const encoder of this.#encoders.values()) rows += encoder.rows
    return rows
  }

  rowsOf(table: string): number {
    return (this.#flushed.get(table) ?? 0) + (this.#encoders.get(table)?.rows ?? 0)
  }

  startBlock(height: number): void {
    for (const encoder of this.#encoders.values()) encoder.startBlock(height)
  }

  /** Into the worker's tables, or into those of another schema with the same names and columns. */
  async flush(connection: SqlConnection, { schema = workerSchema } = {}): Promise<void> {
    // Before the test for rows: a view throws a refusal that the extract caught.
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

  reset(): void {
    this.#flushed.clear()
    for (const encoder of this.#encoders.values()) encoder.reset()
  }
}
