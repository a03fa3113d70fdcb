// A fold from scratch, straight from the declaration: gather the rows behind each key, put them in order, read off.
// It shares nothing with the folds it judges.

import { containsHeight, type RangeSet } from "../../src/domain/range-set.js"
import {
  type Condition,
  defaultPosition,
  type Expression,
  type FoldSource,
  type StateTable,
  type UpstreamRow,
} from "../../src/workers/worker-definition.js"
import type { EventRows, StateRow } from "./memory-fold.js"

interface Behind {
  readonly row: UpstreamRow
  readonly source: FoldSource
  readonly ordinal: number
}

export function foldFromScratch(state: StateTable, events: EventRows, coverage: RangeSet): StateRow[] {
  const groups = new Map<string, { key: Record<string, UpstreamRow[string]>; behind: Behind[] }>()
  for (const [ordinal, source] of state.sources.entries()) {
    for (const row of events[source.table]!) {
      if (!containsHeight(coverage, Number(row["block_height"]))) continue
      if (!Object.entries(source.where ?? {}).every(([name, condition]) => passes(row[name]!, condition)))
        continue
      const key = Object.fromEntries(
        Object.keys(state.key).map((name) => [name, value(row, source.key[name]!)]),
      )
      if (Object.values(key).some((part) => part === null)) continue
      const id = Object.values(key).join("|")
      if (!groups.has(id)) groups.set(id, { key, behind: [] })
      groups.get(id)!.behind.push({ row, source, ordinal })
    }
  }
  return [...groups.values()].map(({ key, behind }) => ({ ...key, ...stateOf(state, behind) }))
}

function stateOf(state: StateTable, behind: readonly Behind[]): StateRow {
  const position = state.position ?? defaultPosition
  const seen = behind
    .filter(({ source }) => source.seen !== false)
    .sort((a, b) => {
      for (const name of position) {
        const difference = Number(a.row[name]) - Number(b.row[name])
        if (difference !== 0) return difference
      }
      return a.ordinal - b.ordinal
    })
  const out: StateRow = { event_rows: behind.length }
  for (const end of state.track ?? [])
    for (const name of position) out[`${end}_${name}`] = seen.at(end === "first" ? 0 : -1)?.row[name] ?? null
  for (const [name, { aggregate }] of Object.entries(state.columns)) {
    const values = (rows: readonly Behind[]) =>
      rows.flatMap(({ row, source }) =>
        source.set?.[name] === undefined ? [] : [value(row, source.set[name])],
      )
    const given = values(behind).filter((each) => each !== null)
    const ascending = given.sort((a, b) => (a < b ? -1 : 1))
    if (aggregate === "sum") out[name] = given.reduce<bigint>((sum, each) => sum + BigInt(each), 0n)
    if (aggregate === "min") out[name] = ascending[0] ?? null
    if (aggregate === "max") out[name] = ascending.at(-1) ?? null
    if (aggregate === "first") out[name] = values(seen)[0] ?? null
    if (aggregate === "last") out[name] = values(seen).at(-1) ?? null
  }
  return out
}

function value(row: UpstreamRow, expression: Expression): UpstreamRow[string] {
  if (typeof expression === "string") return row[expression]!
  if ("literal" in expression) return expression.literal
  if ("negate" in expression)
    return row[expression.negate] === null ? null : -(row[expression.negate] as bigint)
  const microseconds = row[expression.day]
  return microseconds === null ? null : Math.floor(Number(microseconds) / 86_400e6)
}

function passes(found: UpstreamRow[string], condition: Condition): boolean {
  const same = (other: string | number | boolean | null) =>
    found === null || other === null ? found === other : String(found) === String(other)
  return "is" in condition ? same(condition.is) : !same(condition.isNot)
}
