// A state table in plain JavaScript, straight from its declaration: what tests hold folds to, and what the simulation's model folds
// by. It shares no code with the folds of src.

import {
  type Condition,
  defaultPosition,
  type Expression,
  type StateTable,
} from "../../src/workers/worker-definition.js"

/** By column; integers as number, amounts as bigint, as event rows have them. */
export type StateRow = Record<string, unknown>
type EventRow = Readonly<Record<string, unknown>>
/** By table. */
export type EventRows = Readonly<Record<string, readonly EventRow[]>>

type End = "first" | "last"
type Reader = (row: EventRow) => unknown

interface MemorySource {
  readonly table: string
  readonly seen: boolean
  readonly counts: (row: EventRow) => boolean
  readonly key: readonly Reader[]
  readonly set: Readonly<Record<string, Reader>>
}

/** What one event row gives to one key. */
export interface Contribution {
  readonly key: readonly unknown[]
  readonly source: MemorySource
  readonly row: EventRow
}

export class MemoryFold {
  readonly ends: readonly End[]
  readonly sources: readonly MemorySource[]
  readonly #keys: readonly string[]
  readonly #sums: readonly { readonly name: string; readonly zero: 0 | 0n }[]
  readonly #extremes: readonly { readonly name: string; readonly isMax: boolean }[]
  readonly #endValues: Readonly<Record<End, readonly string[]>>
  /** Texts are made once: they name columns of every row that is folded. */
  readonly #endColumns: Readonly<Record<End, readonly { readonly name: string; readonly column: string }[]>>

  constructor({ key, columns, sources, track = [], position = defaultPosition }: StateTable) {
    const all = Object.entries(columns).map(([name, column]) => ({ name, ...column }))
    const valuesAt = (end: End) => all.filter(({ aggregate }) => aggregate === end).map(({ name }) => name)
    const columnsAt = (end: End) => position.map((name) => ({ name, column: `${end}_${name}` }))
    this.ends = track
    this.#keys = Object.keys(key)
    this.#sums = all
      .filter(({ aggregate }) => aggregate === "sum")
      .map(({ name, kind }) => ({ name, zero: kind === "int8" ? 0 : 0n }))
    this.#extremes = all
      .filter(({ aggregate }) => aggregate === "min" || aggregate === "max")
      .map(({ name, aggregate }) => ({ name, isMax: aggregate === "max" }))
    this.#endValues = { first: valuesAt("first"), last: valuesAt("last") }
    this.#endColumns = { first: columnsAt("first"), last: columnsAt("last") }
    this.sources = sources.map((source) => ({
      table: source.table,
      seen: source.seen !== false,
      counts: allOf(Object.entries(source.where ?? {})),
      key: this.#keys.map((name) => reader(source.key[name]!)),
      set: Object.fromEntries(
        Object.entries(source.set ?? {}).map(([name, expression]) => [name, reader(expression)]),
      ),
    }))
  }

  /** Undefined where the row does not count. One whose key has a null counts for nobody. */
  contribution(source: MemorySource, row: EventRow): Contribution | undefined {
    if (!source.counts(row)) return undefined
    const key = source.key.map((read) => read(row))
    return key.includes(null) ? undefined : { key, source, row }
  }

  empty(key: readonly unknown[]): StateRow {
    const state: StateRow = { event_rows: 0 }
    for (const [at, name] of this.#keys.entries()) state[name] = key[at]
    for (const { name, zero } of this.#sums) state[name] = zero
    for (const end of this.ends) this.forgetEnd(state, end)
    this.forgetExtremes(state)
    return state
  }

  /** In any order, but rows of an earlier source before those of a later one: so that of two at one position the later one is last. */
  apply(state: StateRow, contribution: Contribution): void {
    this.add(state, contribution, 1)
    for (const end of this.ends) this.offerEnd(state, contribution, end)
    this.offerExtremes(state, contribution)
  }

  /** Sums and the count of rows alone. */
  add(state: StateRow, { source, row }: Contribution, sign: 1 | -1): void {
    state["event_rows"] = (state["event_rows"] as number) + sign
    for (const { name, zero } of this.#sums) {
      const value = source.set[name]?.(row) ?? null
      if (value === null) continue
      state[name] =
        zero === 0
          ? (state[name] as number) + sign * Number(value)
          : (state[name] as bigint) + BigInt(sign) * BigInt(value as bigint)
    }
  }

  forgetEnd(state: StateRow, end: End): void {
    for (const { column } of this.#endColumns[end]) state[column] = null
    for (const name of this.#endValues[end]) state[name] = null
  }

  offerEnd(state: StateRow, { source, row }: Contribution, end: End): void {
    if (!source.seen) return
    const columns = this.#endColumns[end]
    if (state[columns[0]!.column] !== null) {
      let order = 0
      for (const { name, column } of columns) {
        order = (row[name] as number) - (state[column] as number)
        if (order !== 0) break
      }
      if (end === "first" ? order >= 0 : order < 0) return
    }
    for (const { name, column } of columns) state[column] = row[name]
    for (const name of this.#endValues[end]) state[name] = source.set[name]!(row)
  }

  forgetExtremes(state: StateRow): void {
    for (const { name } of this.#extremes) state[name] = null
  }

  offerExtremes(state: StateRow, { source, row }: Contribution): void {
    for (const { name, isMax } of this.#extremes) {
      const value = (source.set[name]?.(row) ?? null) as bigint | null
      const known = state[name] as bigint | null
      if (value !== null && (known === null || (isMax ? value > known : value < known))) state[name] = value
    }
  }
}

/** All of a state table from all of its event rows, in the order of the keys. */
export function foldRows(table: StateTable, events: EventRows): StateRow[] {
  const fold = new MemoryFold(table)
  const states = new Map<string, StateRow>()
  for (const source of fold.sources) {
    for (const row of events[source.table] ?? []) {
      const contribution = fold.contribution(source, row)
      if (!contribution) continue
      const id = contribution.key.join(" ")
      const state = states.get(id) ?? fold.empty(contribution.key)
      states.set(id, state)
      fold.apply(state, contribution)
    }
  }
  return [...states].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, state]) => state)
}

/** The sums alone, by key (values joined by a space). */
export function sumsByKey(table: StateTable, events: EventRows): Record<string, StateRow> {
  const sums = Object.keys(table.columns).filter((name) => table.columns[name]!.aggregate === "sum")
  const keys = Object.keys(table.key)
  return Object.fromEntries(
    foldRows(table, events).map((row) => [
      keys.map((name) => row[name]).join(" "),
      Object.fromEntries(sums.map((name) => [name, row[name]])),
    ]),
  )
}

const microsecondsPerDay = 86_400_000_000

function reader(expression: Expression): Reader {
  if (typeof expression === "string") return (row) => row[expression] ?? null
  if ("literal" in expression) return () => expression.literal
  const read = reader("negate" in expression ? expression.negate : expression.day)
  const change = (value: unknown): unknown => {
    if ("day" in expression) return Math.floor(Number(value) / microsecondsPerDay)
    return typeof value === "number" ? -value : -BigInt(value as bigint)
  }
  return (row) => {
    const value = read(row)
    return value === null ? null : change(value)
  }
}

function allOf(conditions: readonly (readonly [string, Condition])[]): (row: EventRow) => boolean {
  const tests = conditions.map(([column, condition]) => {
    const isWanted = "is" in condition
    const wanted = isWanted ? condition.is : condition.isNot
    return (row: EventRow): boolean => (textOf(row[column]) === textOf(wanted)) === isWanted
  })
  return (row) => tests.every((passes) => passes(row))
}

/** An amount is a bigint in a row and a number in a condition. */
const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))
