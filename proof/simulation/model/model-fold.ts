// A state table on the model: what the statements of a fold do, step by step, so that the product's own undo decides what is subtracted,
// what is deleted and what is looked for anew.

import type { BlockRange } from "../../../src/domain/block-range.js"
import {
  endColumn,
  type FoldCondition,
  type FoldEnd,
  type FoldExpression,
  type FoldPlan,
} from "../../../src/workers/fold-plan.js"
import { applySql } from "../../../src/workers/postgres/apply-sql.js"
import { undoSql } from "../../../src/workers/postgres/undo-sql.js"
import type { UpstreamRow } from "../../../src/workers/worker-definition.js"
import type { Context } from "./compile-expression.js"
import { type CompiledStatement, insertRow, type StatementResult } from "./compile-statement.js"
import type { StatementBook } from "./model-database.js"
import type { ModelRow, Values } from "./model-table.js"
import { MustWait } from "./model-transaction.js"

export type FoldState = Record<string, number | string | null>

interface Contribution {
  readonly key: string
  readonly row: UpstreamRow
  readonly source: FoldPlan["sources"][number]
}

/** The ranges in which each is looked for anew. */
interface Kept {
  readonly ends: ReadonlyMap<FoldEnd, readonly BlockRange[]>
  readonly all: readonly BlockRange[]
}

const keptCounts = [0, 1, 2]

const sampleRanges = (count: number, from: number): BlockRange[] =>
  Array.from({ length: count }, (_, i) => ({ from: from + 10 * i, to: from + 10 * i + 1 }))

interface EndColumns {
  readonly height: string
  readonly position: readonly { readonly name: string; readonly column: string }[]
}

export class ModelFold {
  readonly plan: FoldPlan
  private readonly sums: readonly string[]
  private readonly extremes: readonly { readonly name: string; readonly isMax: boolean }[]
  private readonly table: string
  private readonly sourceTables: readonly string[]
  /** Texts are made once: they name columns of every row that is folded. */
  private readonly endColumns: Readonly<Record<FoldEnd, EndColumns>>

  constructor(plan: FoldPlan) {
    this.plan = plan
    this.table = `app.${plan.table}`
    this.sourceTables = plan.sources.map(({ table }) => `app.${table}`)
    const columns = (end: FoldEnd): EndColumns => ({
      height: endColumn(end, "block_height"),
      position: plan.position.map(({ name }) => ({ name, column: endColumn(end, name) })),
    })
    this.endColumns = { first: columns("first"), last: columns("last") }
    this.sums = plan.columns.filter(({ aggregate }) => aggregate === "sum").map(({ name }) => name)
    this.extremes = plan.columns
      .filter(({ aggregate }) => aggregate === "min" || aggregate === "max")
      .map(({ name, aggregate }) => ({ name, isMax: aggregate === "max" }))
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
          book.define(text, (context) =>
            this.undo(context, range(context), this.readKept(context, { above, below })),
          )
        }
      }
    }
  }

  statement(range: BlockRange): CompiledStatement {
    return (context) => this.apply(context, range)
  }

  private apply(context: Context, range: BlockRange): StatementResult {
    const changed = new Map<string, FoldState>()
    this.visit(context, range, (contribution) => {
      const state = this.stateFor(context, { changed, contribution })
      this.add(state, contribution, 1)
      for (const end of this.plan.ends) this.offerEnd(state, contribution, end)
      this.offerExtremes(state, contribution)
    })
    return this.write(context, changed)
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
    return { ends, all: this.extremes.length > 0 ? read(above + below) : [] }
  }

  private undo(context: Context, range: BlockRange, kept: Kept): StatementResult {
    const changed = new Map<string, FoldState>()
    this.visit(context, range, (contribution) =>
      this.add(this.stateFor(context, { changed, contribution }), contribution, -1),
    )
    this.write(context, changed)
    this.probe(context, { range, kept })
    let [emptied, missing] = [0, 0]
    for (const [key, { event_rows: rows }] of changed) {
      if ((rows as number) < 0) missing++
      if (rows !== 0) continue
      emptied++
      context.transaction.write(this.rowOf(context, key)!, undefined)
    }
    return { rows: [{ keys: changed.size, emptied, missing }], rowCount: 1 }
  }

  /** Ends that lie in the range are looked for among what stays, and extremes that one of its rows equals. */
  private probe(context: Context, { range, kept }: { range: BlockRange; kept: Kept }): void {
    const changed = new Map<string, FoldState>()
    const lost = new Map<string, FoldEnd[]>()
    for (const key of this.keys(context, range)) {
      const state = this.rowOf(context, key)?.seenBy(context.transaction)?.["state"] as FoldState | undefined
      if (!state) continue
      const next = { ...state }
      const ends = this.plan.ends.filter((end) => {
        const height = state[endColumn(end, "block_height")] as number | null
        return height !== null && height >= range.from && height < range.to
      })
      for (const end of ends) this.forgetEnd(next, end)
      for (const { name } of this.extremes) next[name] = null
      changed.set(key, next)
      lost.set(key, ends)
    }
    const among = (ranges: readonly BlockRange[], offer: (state: FoldState, found: Contribution) => void) => {
      for (const part of ranges) {
        this.visit(context, part, (contribution) => {
          const state = changed.get(contribution.key)
          if (state) offer(state, contribution)
        })
      }
    }
    for (const [end, ranges] of kept.ends) {
      among(ranges, (state, found) => {
        if (lost.get(found.key)!.includes(end)) this.offerEnd(state, found, end)
      })
    }
    among(kept.all, (state, found) => this.offerExtremes(state, found))
    this.write(context, changed)
  }

  private visit(
    context: Context,
    { from, to }: BlockRange,
    take: (contribution: Contribution) => void,
  ): void {
    for (const [at, source] of this.plan.sources.entries()) {
      const table = context.server.table(this.sourceTables[at]!)
      const [key] = source.key
      const { where } = source
      const visitRow = (found: ModelRow | undefined): void => {
        const rows = found?.seenBy(context.transaction)?.["rows"] as UpstreamRow[] | undefined
        if (!rows) return
        for (const row of rows) {
          let isMeant = true
          for (const condition of where) isMeant &&= holds(condition, row)
          if (isMeant) take({ key: String(evaluate(key!, row)), row, source })
        }
      }
      // Whole tables are walked by their rows: an endless range has no last height.
      if (to - from > table.rows.size) {
        for (const [height, row] of table.rows)
          if ((height as number) >= from && (height as number) < to) visitRow(row)
      } else for (let height = from; height < to; height++) visitRow(table.rows.get(height))
    }
  }

  private keys(context: Context, range: BlockRange): Set<string> {
    const keys = new Set<string>()
    this.visit(context, range, ({ key }) => keys.add(key))
    return keys
  }

  private rowOf(context: Context, key: string): ModelRow | undefined {
    return context.server.table(this.table).rows.get(key)
  }

  private stateFor(
    context: Context,
    { changed, contribution: { key } }: { changed: Map<string, FoldState>; contribution: Contribution },
  ): FoldState {
    let state = changed.get(key)
    if (!state) {
      const row = this.rowOf(context, key)
      // Before anything is written: a statement that waits has changed nothing.
      if (row?.holder && row.holder !== context.transaction) throw new MustWait(row.holder)
      const known = row?.seenBy(context.transaction)?.["state"] as FoldState | undefined
      state = known ? { ...known } : this.emptyState(key)
      changed.set(key, state)
    }
    return state
  }

  private write(context: Context, changed: ReadonlyMap<string, FoldState>): StatementResult {
    const table = context.server.table(this.table)
    for (const [key, state] of changed) {
      const row = table.rows.get(key)
      if (row?.holder && row.holder !== context.transaction) throw new MustWait(row.holder)
      const values: Values = { key, state }
      if (row?.seenBy(context.transaction)) context.transaction.write(row, values)
      else insertRow(context, { table, row: values })
    }
    return { rows: [], rowCount: changed.size }
  }

  private emptyState(key: string): FoldState {
    const state: FoldState = { [this.plan.key[0]!.name]: key, event_rows: 0 }
    for (const { name, aggregate } of this.plan.columns) state[name] = aggregate === "sum" ? 0 : null
    for (const end of this.plan.ends) this.forgetEnd(state, end)
    return state
  }

  private forgetEnd(state: FoldState, end: FoldEnd): void {
    for (const { name } of this.plan.position) state[endColumn(end, name)] = null
    for (const { name, aggregate } of this.plan.columns) if (aggregate === end) state[name] = null
  }

  private add(state: FoldState, { row, source }: Contribution, sign: 1 | -1): void {
    state["event_rows"] = (state["event_rows"] as number) + sign
    for (const name of this.sums) {
      const expression = source.set.get(name)
      if (expression) state[name] = (state[name] as number) + sign * (evaluate(expression, row) as number)
    }
  }

  private offerEnd(state: FoldState, { row, source }: Contribution, end: FoldEnd): void {
    if (!source.seen) return
    const { height, position } = this.endColumns[end]
    if (state[height] !== null) {
      let order = 0
      for (const { name, column } of position) {
        order = (row[name] as number) - (state[column] as number)
        if (order !== 0) break
      }
      if (end === "first" ? order >= 0 : order < 0) return
    }
    for (const { name, column } of position) state[column] = row[name] as number
    for (const { name, aggregate } of this.plan.columns)
      if (aggregate === end) state[name] = evaluate(source.set.get(name)!, row) as string
  }

  private offerExtremes(state: FoldState, { row, source }: Contribution): void {
    for (const { name, isMax } of this.extremes) {
      const expression = source.set.get(name)
      if (!expression) continue
      const value = evaluate(expression, row) as number
      const known = state[name] as number | null
      if (known === null || (isMax ? value > known : value < known)) state[name] = value
    }
  }
}

function evaluate(expression: FoldExpression, row: UpstreamRow): UpstreamRow[string] {
  if (expression.of === "literal") return expression.literal
  const value = row[expression.column] ?? null
  return expression.of === "negate" ? -(value as number) : value
}

const holds = ({ column, test, value }: FoldCondition, row: UpstreamRow): boolean =>
  (row[column] === value) === (test === "is")
