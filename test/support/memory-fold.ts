// A state table as plain JavaScript: the same plan, the same rows, no database. It keeps to the rules of the fold on
// Postgres, so that what holds in a simulation holds there.

import type { BlockRange } from "../../src/domain/block-range.js"
import { containsHeight, intersect, type RangeSet, subtract } from "../../src/domain/range-set.js"
import type { ColumnKind } from "../../src/workers/column.js"
import {
  columnsOf,
  endColumn,
  type FoldCondition,
  type FoldEnd,
  type FoldExpression,
  type FoldPlan,
  type PlannedColumn,
  type PlannedSource,
} from "../../src/workers/fold-plan.js"
import type { UpstreamRow } from "../../src/workers/worker-definition.js"

export type StateValue = UpstreamRow[string]
/** By column; int8 as number, numeric as bigint, as event rows have them. */
export type StateRow = Record<string, StateValue>
/** Event rows by table. */
export type EventRows = Readonly<Record<string, readonly UpstreamRow[]>>

/** What one event row gives to one key. */
interface Contribution {
  readonly key: readonly StateValue[]
  readonly source: PlannedSource
  readonly row: UpstreamRow
}

const microsecondsPerDay = 86_400_000_000n

export class MemoryFold {
  readonly #plan: FoldPlan
  readonly #rows = new Map<string, StateRow>()

  constructor(plan: FoldPlan) {
    this.#plan = plan
  }

  /** In no particular order. */
  rows(): readonly Readonly<StateRow>[] {
    return [...this.#rows.values()]
  }

  /** How many keys were touched. */
  apply({ range, events }: { range: BlockRange; events: EventRows }): { keys: number } {
    const touched = new Set<string>()
    for (const contribution of this.#contributions(events, [range])) {
      const id = keyText(contribution.key)
      touched.add(id)
      let state = this.#rows.get(id)
      if (!state) {
        state = this.#emptyRow(contribution.key)
        this.#rows.set(id, state)
      }
      this.#add(state, contribution, 1n)
      for (const end of this.#plan.ends) this.#offerEnd(state, contribution, end)
      for (const column of columnsOf(this.#plan, "min", "max")) offerExtreme(state, contribution, column)
    }
    return { keys: touched.size }
  }

  /** While the event rows of the removed heights are still in `events`. */
  undo({ removed, coverage, events }: { removed: RangeSet; coverage: RangeSet; events: EventRows }): void {
    const gone = intersect(coverage, removed)
    const kept = subtract(coverage, removed)
    const touched = new Map<string, StateRow>()
    for (const contribution of this.#contributions(events, gone)) {
      const id = keyText(contribution.key)
      const state = this.#rows.get(id)
      if (!state) throw new Error(`no row of ${this.#plan.table} stands for what is to be undone: ${id}`)
      this.#add(state, contribution, -1n)
      touched.set(id, state)
    }
    for (const [id, state] of touched) if (state["event_rows"] === 0) this.#rows.delete(id)
    for (const state of touched.values()) this.#forgetEnds(state, gone)
    // All extremes of the touched keys are taken anew: the same outcome as looking at the removed values first.
    for (const state of touched.values())
      for (const { name } of columnsOf(this.#plan, "min", "max")) state[name] = null
    for (const contribution of this.#contributions(events, kept)) {
      const state = touched.get(keyText(contribution.key))
      if (!state) continue
      for (const end of this.#plan.ends) this.#offerEnd(state, contribution, end)
      for (const column of columnsOf(this.#plan, "min", "max")) offerExtreme(state, contribution, column)
    }
  }

  #emptyRow(key: readonly StateValue[]): StateRow {
    const row: StateRow = { event_rows: 0 }
    for (const [at, { name }] of this.#plan.key.entries()) row[name] = key[at]!
    for (const { name, kind, aggregate } of this.#plan.columns)
      row[name] = aggregate === "sum" ? (kind === "int8" ? 0 : 0n) : null
    for (const end of this.#plan.ends)
      for (const { name } of this.#plan.position) row[endColumn(end, name)] = null
    return row
  }

  #add(state: StateRow, { source, row }: Contribution, sign: 1n | -1n): void {
    state["event_rows"] = Number(state["event_rows"]) + Number(sign)
    for (const { name, kind } of columnsOf(this.#plan, "sum")) {
      const expression = source.set.get(name)
      const value = expression ? evaluate(expression, row) : null
      if (value === null) continue
      const total = BigInt(state[name] as number | bigint) + sign * BigInt(value)
      state[name] = kind === "int8" ? Number(total) : total
    }
  }

  #forgetEnds(state: StateRow, gone: RangeSet): void {
    for (const end of this.#plan.ends) {
      const height = state[endColumn(end, "block_height")]
      if (typeof height !== "number" || !containsHeight(gone, height)) continue
      for (const { name } of this.#plan.position) state[endColumn(end, name)] = null
      for (const { name } of columnsOf(this.#plan, end)) state[name] = null
    }
  }

  #offerEnd(state: StateRow, { source, row }: Contribution, end: FoldEnd): void {
    if (!source.seen) return
    const at = (name: string) => state[endColumn(end, name)]
    if (at("block_height") !== null) {
      const order = comparePositions(
        this.#plan.position.map(({ name }) => [row[name] as number, at(name) as number]),
      )
      // Contributions come in the order of their sources: of two at one position the first stays first, and the later is last.
      if (end === "first" ? order >= 0 : order < 0) return
    }
    for (const { name } of this.#plan.position) state[endColumn(end, name)] = row[name]!
    for (const { name } of columnsOf(this.#plan, end)) state[name] = evaluate(source.set.get(name)!, row)
  }

  *#contributions(events: EventRows, heights: RangeSet): Generator<Contribution> {
    for (const source of this.#plan.sources) {
      for (const row of events[source.table] ?? []) {
        if (!containsHeight(heights, row["block_height"] as number)) continue
        if (!source.where.every((condition) => holds(condition, row))) continue
        const key = source.key.map((expression) => evaluate(expression, row))
        if (!key.includes(null)) yield { key, source, row }
      }
    }
  }
}

function offerExtreme(state: StateRow, { source, row }: Contribution, column: PlannedColumn): void {
  const expression = source.set.get(column.name)
  const value = expression ? evaluate(expression, row) : null
  if (value === null) return
  const known = state[column.name]!
  if (known === null || (column.aggregate === "min" ? value < known : value > known))
    state[column.name] = value
}

const comparePositions = (pairs: readonly (readonly [number, number])[]): number => {
  for (const [a, b] of pairs) if (a !== b) return a < b ? -1 : 1
  return 0
}

function holds({ column, kind, test, value }: FoldCondition, row: UpstreamRow): boolean {
  const found = row[column] ?? null
  const same =
    value === null || found === null
      ? found === value
      : normalized(literalValue(value, kind)) === normalized(found)
  return test === "is" ? same : !same
}

function evaluate(expression: FoldExpression, row: UpstreamRow): StateValue {
  if (expression.of === "literal") return literalValue(expression.literal, expression.kind)
  const value = row[expression.column] ?? null
  if (value === null || expression.of === "column") return value
  if (expression.of === "negate") return -(value as number | bigint)
  // Rounded down: days before 1970 too.
  const microseconds = value as bigint
  const days = microseconds / microsecondsPerDay
  return Number(microseconds % microsecondsPerDay < 0n ? days - 1n : days)
}

/** Integers compare whether they came as number or as bigint. */
const normalized = (value: NonNullable<StateValue>): StateValue =>
  typeof value === "number" ? BigInt(value) : value

function literalValue(literal: string | number | boolean, kind: ColumnKind): NonNullable<StateValue> {
  if (kind === "bool" || kind === "text") return literal
  if (kind === "bytes") return String(literal).toLowerCase()
  return kind === "amount" || kind === "numeric" ? BigInt(literal) : Number(literal)
}

/** Values of one column are of one kind, so a bigint's text is never that of a string. */
const keyText = (key: readonly StateValue[]): string =>
  JSON.stringify(key, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
