// The simulation's replacement of COPY: blocks and rows enter the model as objects. What is checked when, and in which
// transaction, is up to the product.

import { type BlockRange, formatRange } from "../../src/domain/block-range.js"
import { countHeights, intersect } from "../../src/domain/range-set.js"
import type { SqlConnection } from "../../src/postgres/sql-connection.js"
import type { Queryable } from "../../src/postgres/transaction.js"
import type { BlockWriter } from "../../src/raw/block-writer.js"
import type { DerivedStore, EmittedRows, FoldRequest } from "../../src/workers/derived-store.js"
import { readRangeState } from "../../src/workers/postgres/postgres-raw-reader.js"
import type { RawRange, RawReader } from "../../src/workers/raw-range.js"
import { type Emit, eventTables, type UpstreamRow, type WorkerTables } from "../../src/workers/worker-definition.js"
import type { CompiledStatement } from "./model/compile-statement.js"
import { insertRow } from "./model/compile-statement.js"
import type { ModelConnection } from "./model/model-connection.js"
import type { ModelFold } from "./model/model-fold.js"
import type { SimBlock } from "./sim-chain.js"
import { simRegistry } from "./sim-workers.js"

/** Runs one statement, which may have to wait, on the connection. */
function execute(
  tx: SqlConnection,
  sql: string,
  statement: CompiledStatement,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const connection = tx as ModelConnection
  return connection.ask((settle) => connection.database.run(connection, { sql, params, statement }, settle))
}

/** The size of a block, by which ranges are cut and flushed. */
export const simBlockBytes = 1_000

const done = { rows: [], rowCount: 0 }

export class SimBlockWriter implements BlockWriter<SimBlock> {
  private pending: SimBlock[] = []

  get byteLength(): number {
    return this.pending.length * simBlockBytes
  }

  add(block: SimBlock): void {
    this.pending.push(block)
  }

  async flush(tx: SqlConnection): Promise<void> {
    const blocks = this.pending
    if (blocks.length === 0) return
    await execute(tx, "copy raw.blocks", (context) => {
      const table = context.server.table("raw.blocks")
      for (const block of blocks) {
        const { height, hashBytes: hash, parentBytes: parent_hash } = block
        insertRow(context, { table, row: { height, hash, parent_hash, block } })
      }
      return done
    })
    this.pending = []
  }

  reset(): void {
    this.pending = []
  }
}

/** Reads the coverage of a range and its blocks in one snapshot. */
export class SimRawReader implements RawReader<SimBlock> {
  private readonly connect: () => Promise<ModelConnection>
  private connection: ModelConnection | undefined

  constructor({ connect }: { connect: () => Promise<ModelConnection> }) {
    this.connect = connect
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async open(range: BlockRange): Promise<RawRange<SimBlock>> {
    if (!this.connection || this.connection.closed) this.connection = await this.connect()
    const { connection } = this
    let blocks: SimBlock[] = []
    // The model has no snapshot of several statements, so both are read at one moment.
    const snapshot = {
      query: (sql: string, params: readonly unknown[]) =>
        connection.ask((settle) =>
          connection.database.run(connection, { sql, params }, (error, result) => {
            if (!error) blocks = storedBlocks(connection, range)
            settle(error, result)
          }),
        ),
    } as unknown as Queryable
    const { chainEpoch, heights } = await readRangeState(snapshot, range)
    const promised = countHeights(intersect(heights, [range]))
    if (blocks.length !== promised)
      throw new Error(`raw.blocks has ${blocks.length} rows in ${formatRange(range)}, coverage says ${promised}`)
    let at = 0
    // Long ranges come in two pieces, so that faults can happen in between.
    const piece = Math.max(12, Math.ceil(blocks.length / 2))
    return {
      chainEpoch,
      next: async () => {
        if (at >= blocks.length) return undefined
        const next = blocks.slice(at, at + piece)
        at += piece
        await connection.ask((settle) => settle(null, undefined))
        return next
      },
      close: () => Promise.resolve(),
    }
  }
}

function storedBlocks({ database }: ModelConnection, { from, to }: BlockRange): SimBlock[] {
  const { rows } = database.table("raw.blocks")
  const blocks: SimBlock[] = []
  for (let height = from; height < to; height++) {
    const block = rows.get(height)?.committed?.["block"]
    if (block) blocks.push(block as SimBlock)
  }
  return blocks
}

class SimSink implements EmittedRows {
  readonly emit: Emit<WorkerTables>
  /** By table, by height. */
  readonly rows: ReadonlyMap<string, Map<number, UpstreamRow[]>>
  pendingRows = 0
  private readonly emitted = new Map<string, number>()
  private height = -1

  constructor(worker: string) {
    this.rows = new Map(eventTables(simRegistry.worker(worker)!).map(([table]) => [table, new Map()]))
    this.emit = Object.fromEntries(
      [...this.rows].map(([table, byHeight]) => [
        table,
        (row: UpstreamRow) => {
          if (row["block_height"] !== this.height) throw new Error(`a row of another block than ${this.height}`)
          const same = byHeight.get(this.height)
          if (same) same.push(row)
          else byHeight.set(this.height, [row])
          this.pendingRows++
          this.emitted.set(table, this.rowsOf(table) + 1)
        },
      ]),
    ) as Emit<WorkerTables>
  }

  get byteLength(): number {
    return this.pendingRows
  }

  startBlock(height: number): void {
    this.height = height
  }

  rowsOf(table: string): number {
    return this.emitted.get(table) ?? 0
  }

  reset(): void {
    this.written()
    this.emitted.clear()
  }

  written(): void {
    this.pendingRows = 0
    for (const byHeight of this.rows.values()) byHeight.clear()
  }
}

export class SimDerivedStore implements DerivedStore<SqlConnection, SimSink> {
  private readonly folds: ReadonlyMap<string, readonly ModelFold[]>

  constructor(folds: ReadonlyMap<string, readonly ModelFold[]>) {
    this.folds = folds
  }

  createSink(worker: string): SimSink {
    return new SimSink(worker)
  }

  async append(tx: SqlConnection, sink: SimSink): Promise<void> {
    const statement: CompiledStatement = (context) => {
      for (const [name, byHeight] of sink.rows) {
        const table = context.server.table(`app.${name}`)
        for (const [height, rows] of byHeight) insertRow(context, { table, row: { block_height: height, rows } })
      }
      return done
    }
    const heights = [...sink.rows.values()].flatMap((byHeight) => [...byHeight.keys()])
    await execute(tx, "copy rows", statement, [heights[0]!, heights.at(-1)! + 1])
    sink.written()
  }

  async readRows(
    tx: SqlConnection,
    { table, range }: { table: string; range: BlockRange },
  ): Promise<ReadonlyMap<number, readonly UpstreamRow[]>> {
    const found = new Map<number, readonly UpstreamRow[]>()
    const statement: CompiledStatement = (context) => {
      const { rows } = context.server.table(`app.${table}`)
      for (let height = range.from; height < range.to; height++) {
        const values = rows.get(height)?.seenBy(context.transaction)
        if (values) found.set(height, values["rows"] as UpstreamRow[])
      }
      return done
    }
    await execute(tx, "copy out", statement, [range.from, range.to])
    return found
  }

  async applyFolds(tx: SqlConnection, { worker, range, without }: FoldRequest): Promise<void> {
    for (const fold of this.folds.get(worker) ?? []) {
      if (fold.plan.sources.every(({ table }) => without?.has(table))) continue
      await execute(tx, "fold", fold.statement(range))
    }
  }

  holdsUpTip(): Promise<boolean> {
    return Promise.resolve(false)
  }

  resolveErrors(): Promise<void> {
    return Promise.resolve()
  }
}
