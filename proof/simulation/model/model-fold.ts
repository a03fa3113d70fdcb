// A state table on the model: what the statements of a fold do, step by step, so that the product's own undo decides what is subtracted,
// what is deleted and where another first, last or extreme is looked for.

import type { BlockRange } from "../../../src/domain/block-range.js"
import type { FoldEnd, FoldPlan } from "../../../src/workers/fold-plan.js"
import { applySql } from "../../../src/workers/postgres/apply-fold.js"
import { undoSql } from "../../../src/workers/postgres/undo-fold.js"
import type { StateTable, UpstreamRow } from "../../../src/workers/worker-definition.js"
import { type Contribution, MemoryFold, type StateRow } from "../../../test/support/memory-fold.js"
import type { Context } from "./compile-expression.js"
import { type CompiledStatement, insertRow, type StatementResult } from "./compile-statement.js"
import type { StatementBook } from "./model-database.js"
import type { ModelRow } from "./model-table.js"
import { MustWait } from "./model-transaction.js"

/** The ranges in which each is looked for. */
interface Kept {
  readonly ends: ReadonlyMap<FoldEnd, readonly BlockRange[]>
  readonly all: readonly BlockRange[]
}

const keptCounts = [0, 1, 2]

const sampleRanges = (count: number, from: number): BlockRange[] =>
  Array.from({ length: count }, (_, i) => ({ from: from + 10 * i, to: from + 10 * i + 1 }))

const isIn = ({ from, to }: BlockRange, height: unknown): boolean =>
  height !== null && (height as number) >= from && (height as number) < to

export class ModelFold {
  readonly plan: FoldPlan
  private readonly fold: MemoryFold
  private readonly table: string
  private readonly hasExtremes: boolean

  constructor(plan: FoldPlan, state: StateTable) {
    this.plan = plan
    this.fold = new MemoryFold(state)
    this.table = `app.${plan.table}`
    this.hasExtremes = plan.columns.some(({ aggregate }) => aggregate === "min" || aggregate === "max")
  }

  defineIn(book: StatementBook): void {
    const range = ({ params }: Context): BlockRange => ({ from: Number(params[0]), to: Number(params[1]) })
    book.define(applySql(this.plan), (context) => this.apply(context, range(context)))
    // The text depends on whether it is one block, and on how many ranges stay above and below: only none, one and several make a difference.
    for (const to of [51, 60]) {
      for (const above of keptCounts) {
        for (const below of keptCounts) {
          const kept = [...sampleRanges(below, 0), ...sampleRanges(above, 100)]
          const { text } = undoSql(this.plan, { range: { from: 50, to }, kept })
          book.define(text, (context) => this.undo(context, range(context), this.readKept(context, { above, below })))
        }
      }
    }
  }

  statement(range: BlockRange): CompiledStatement {
    return (context) => this.apply(context, range)
  }

  private apply(context: Context, range: BlockRange): StatementResult {
    const changed = new Map<string, StateRow>()
    this.visit(context, range, (found) => this.fold.apply(this.stateFor(context, changed, found), found))
    this.write(context, changed)
    return { rows: [], rowCount: changed.size }
  }

  /** What stays, as the statement has it among its parameters: above the range for firsts, below for lasts, all for extremes. */
  private readKept({ params }: Context, { above, below }: { above: number; below: number }): Kept {
    let at = 2
    const read = (count: number): BlockRange[] => {
      if (count === 0) return []
      const [from, to] = [Number(params[at]), Number(params[at + 1])]
      at += 2
      if (count === 1) return [{ from, to }]
      const [lows, highs] = [params[at] as number[], params[at + 1] as number[]]
      at += 2
      return lows.map((low, i) => ({ from: low, to: highs[i]! }))
    }
    const ends = new Map(this.plan.ends.map((end) => [end, read(end === "first" ? above : below)]))
    return { ends, all: this.hasExtremes ? read(above + below) : [] }
  }

  /** Ends that lie in the range are looked for among what stays, and extremes of all keys that it has rows of. */
  private undo(context: Context, range: BlockRange, kept: Kept): StatementResult {
    const changed = new Map<string, StateRow>()
    this.visit(context, range, (found) => this.fold.add(this.stateFor(context, changed, found), found, -1))
    const lost = new Map<StateRow, readonly FoldEnd[]>()
    for (const state of changed.values()) {
      const ends = this.plan.ends.filter((end) => isIn(range, state[`${end}_block_height`]))
      for (const end of ends) this.fold.forgetEnd(state, end)
      this.fold.forgetExtremes(state)
      lost.set(state, ends)
    }
    const among = (ranges: readonly BlockRange[], offer: (state: StateRow, found: Contribution) => void) => {
      for (const part of ranges) {
        this.visit(context, part, (found) => {
          const state = changed.get(keyText(found))
          if (state) offer(state, found)
        })
      }
    }
    for (const [end, ranges] of kept.ends) {
      among(ranges, (state, found) => {
        if (lost.get(state)!.includes(end)) this.fold.offerEnd(state, found, end)
      })
    }
    among(kept.all, (state, found) => this.fold.offerExtremes(state, found))
    this.write(context, changed)
    const missing = [...changed.values()].filter((state) => (state["event_rows"] as number) < 0).length
    return { rows: [{ missing }], rowCount: 1 }
  }

  private visit(context: Context, range: BlockRange, take: (found: Contribution) => void): void {
    for (const source of this.fold.sources) {
      const table = context.server.table(`app.${source.table}`)
      const visitRow = (stored: ModelRow | undefined): void => {
        const rows = stored?.seenBy(context.transaction)?.["rows"] as UpstreamRow[] | undefined
        for (const row of rows ?? []) {
          const found = this.fold.contribution(source, row)
          if (found) take(found)
        }
      }
      // Whole tables are walked by their rows: an endless range has no last height.
      if (range.to - range.from > table.rows.size) {
        for (const [height, row] of table.rows) if (isIn(range, height)) visitRow(row)
      } else for (let height = range.from; height < range.to; height++) visitRow(table.rows.get(height))
    }
  }

  private stateFor(context: Context, changed: Map<string, StateRow>, found: Contribution): StateRow {
    const key = keyText(found)
    let state = changed.get(key)
    if (!state) {
      const row = context.server.table(this.table).rows.get(key)
      // Before anything is written: a statement that waits has changed nothing.
      if (row?.holder && row.holder !== context.transaction) throw new MustWait(row.holder)
      const known = row?.seenBy(context.transaction)?.["state"] as StateRow | undefined
      state = known ? { ...known } : this.fold.empty(found.key)
      changed.set(key, state)
    }
    return state
  }

  /** A row that nothing stands behind goes. */
  private write(context: Context, changed: ReadonlyMap<string, StateRow>): void {
    const table = context.server.table(this.table)
    for (const [key, state] of changed) {
      const row = table.rows.get(key)
      const values = { key, state }
      if (row?.seenBy(context.transaction))
        context.transaction.write(row, state["event_rows"] === 0 ? undefined : values)
      else insertRow(context, { table, row: values })
    }
  }
}

const keyText = ({ key }: Contribution): string => (key.length === 1 ? (key[0] as string) : key.join(" "))
