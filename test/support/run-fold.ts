// A state table computed the plain way: all event rows at once, in chain order, one after the other. What a declaration means,
// without a store.

import type { Expression, FoldSource, StateTable } from "../../src/workers/worker-definition.js"
import { defaultPosition } from "../../src/workers/worker-definition.js"
import type { PlainRow } from "./run-extract.js"

type Cell = unknown

function evaluate(expression: Expression, row: PlainRow): Cell {
  if (typeof expression === "string") return row[expression]
  if ("negate" in expression) return -BigInt(row[expression.negate] as bigint)
  if ("day" in expression) return Number((row[expression.day] as bigint) / 86_400_000_000n)
  return expression.literal
}

const counts = ({ where = {} }: FoldSource, row: PlainRow): boolean =>
  Object.entries(where).every(([column, condition]) =>
    "is" in condition ? row[column] === condition.is : row[column] !== condition.isNot,
  )

function comparePlaces(a: PlainRow, b: PlainRow, position: readonly string[]): number {
  for (const column of position) {
    const difference = Number(a[column]) - Number(b[column])
    if (difference !== 0) return difference
  }
  return 0
}

/** Rows by key, in the order in which keys are first met. Sums are bigint; first, last, min and max stay as emitted. */
export function runFold(table: StateTable, rows: Readonly<Record<string, readonly PlainRow[]>>): PlainRow[] {
  const position = table.position ?? defaultPosition
  const facts = table.sources
    .flatMap((source) =>
      (rows[source.table] ?? []).filter((row) => counts(source, row)).map((row) => ({ source, row })),
    )
    .sort((a, b) => comparePlaces(a.row, b.row, position))
  const states = new Map<string, Record<string, Cell>>()
  for (const { source, row } of facts) {
    const key = Object.keys(table.key).map((name) => [name, evaluate(source.key[name]!, row)] as const)
    const id = key.map(([, value]) => String(value)).join("/")
    const state = states.get(id) ?? { ...Object.fromEntries(key), event_rows: 0n }
    states.set(id, state)
    state["event_rows"] = (state["event_rows"] as bigint) + 1n
    for (const [name, column] of Object.entries(table.columns)) {
      const given = source.set?.[name]
      const value = given === undefined ? undefined : evaluate(given, row)
      state[name] = aggregate(column.aggregate, state[name], value)
    }
    if (source.seen === false) continue
    for (const column of position) {
      if (table.track?.includes("first")) state[`first_${column}`] ??= row[column]
      if (table.track?.includes("last")) state[`last_${column}`] = row[column]
    }
  }
  return [...states.values()]
}

/** The sums alone, by key (values joined by a space). */
export function sumsByKey(
  table: StateTable,
  rows: Readonly<Record<string, readonly PlainRow[]>>,
): Record<string, Record<string, unknown>> {
  const sums = Object.keys(table.columns).filter((name) => table.columns[name]!.aggregate === "sum")
  return Object.fromEntries(
    runFold(table, rows).map((row) => [
      Object.keys(table.key)
        .map((name) => row[name])
        .join(" "),
      Object.fromEntries(sums.map((name) => [name, row[name]])),
    ]),
  )
}

function aggregate(how: string, before: Cell, value: Cell): Cell {
  if (how === "sum") return BigInt((before as bigint) ?? 0n) + BigInt((value as bigint) ?? 0n)
  if (value === undefined) return before
  if (how === "last" || before === undefined) return value
  if (how === "first") return before
  return (how === "min") === (value as bigint) < (before as bigint) ? value : before
}
