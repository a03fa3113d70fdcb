// The statement that takes a range out of a state table. Planned with its values each time, but for a range of one block.
//
// No statement of a fold ever scans the state table. An insert on conflict and a lateral subquery with a limit both go
// through the key's index whatever the planner expects; a plain join would do so only while its estimates are good. What
// was found so is written where it was found, by its row's address.

import type { BlockRange } from "../../domain/block-range.js"
import type { RangeSet } from "../../domain/range-set.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { columnsOf, endColumn, type FoldPlan, stateColumns } from "../fold-plan.js"
import { aggregateSql, inBlock, inRange } from "./aggregate-sql.js"
import { columnList, extremeAlias, sameKey, tableName, valueAlias } from "./fold-names.js"
import { type Bounds, endInRange, endProbe, extremeInRange, extremeProbe } from "./probe-sql.js"

/**
 * Takes a range out of the table: its sums away, what came from it found anew (an end whose position lies in it, an extreme
 * that one of its rows equals), and the keys deleted that nothing stands behind any more. One statement, which reads each row
 * before it writes it: under the exclusive chain lock nobody else writes. Gives keys, emptied and missing; where one
 * is missing the rest is not to be kept.
 */
export function undoSql(plan: FoldPlan, heights: UndoneHeights): { text: string; params: unknown[] } {
  const params: unknown[] = [heights.range.from, heights.range.to]
  const probes = planProbes(plan, heights, (value) => `$${params.push(value)}`)
  const changed = stateColumns(plan)
    .filter(({ name }) => !plan.key.some((key) => key.name === name))
    .map(({ name }) => quoteIdentifier(name))
  const counted = heights.range.to - heights.range.from === 1 ? inBlock : inRange
  const text = `${aggregateSql(plan, counted, { apart: true })},
undone as (
  select ${stateColumns(plan)
    .map(({ name }) => `${undoneColumn(plan, probes, name)} as ${quoteIdentifier(name)}`)
    .join(", ")}, c.ctid as ${rowAddress}
  from folded x
  left join lateral (
    select ${columnList(plan, "c")}, c.ctid from ${tableName(plan.table)} c where ${sameKey(plan, "c", "x")} limit 1
  ) c on true
  ${[...probes].map(([name, probe]) => `left join lateral (${probe}) ${name}_row on true`).join("\n  ")}
),
written as (
  update ${tableName(plan.table)} s set
    ${changed.map((name) => `${name} = u.${name}`).join(",\n    ")}
  from undone u
  where s.ctid = u.${rowAddress} and u.event_rows > 0
),
deleted as (
  delete from ${tableName(plan.table)} s
  where s.ctid = any (array(select ${rowAddress} from undone where event_rows = 0))
)
select count(*)::int4 as keys,
  (count(*) filter (where event_rows = 0))::int4 as emptied,
  (count(*) filter (where event_rows is null or event_rows < 0))::int4 as missing
from undone`
  return { text, params }
}

export interface UndoneHeights {
  /** What goes. */
  readonly range: BlockRange
  /** What the fold covers afterwards. */
  readonly kept: RangeSet
}

/** No column can be called so. */
const rowAddress = quoteIdentifier("row address")

/**
 * By name, what is looked for among the rows that stay. A first that goes has its successor above the range, since a row below it would have been
 * first; a last has it below. So a rollback of the tip never looks for firsts.
 */
function planProbes(
  plan: FoldPlan,
  { range, kept }: UndoneHeights,
  place: (value: unknown) => string,
): ReadonlyMap<string, string> {
  const probes = new Map<string, string>()
  for (const end of plan.ends) {
    const among = kept.filter(({ from, to }) => (end === "first" ? from >= range.to : to <= range.from))
    if (among.length > 0) probes.set(end, endProbe(plan, end, bounds(among, place)))
  }
  const extremes = columnsOf(plan, "min", "max")
  if (extremes.length === 0 || kept.length === 0) return probes
  const all = bounds(kept, place)
  for (const column of extremes) probes.set(extremeAlias(plan, column), extremeProbe(plan, column, all))
  return probes
}

function bounds(ranges: RangeSet, place: (value: unknown) => string): Bounds {
  const from = `${place(ranges[0]!.from)}::int8`
  const to = `${place(ranges.at(-1)!.to)}::int8`
  if (ranges.length === 1) return { from, to, each: undefined }
  const lows = place(ranges.map((range) => range.from))
  const highs = place(ranges.map((range) => range.to))
  return { from, to, each: `unnest(${lows}::int8[], ${highs}::int8[]) as h(lo, hi)` }
}

function undoneColumn(plan: FoldPlan, probes: ReadonlyMap<string, string>, name: string): string {
  const key = plan.key.findIndex((column) => column.name === name)
  if (key >= 0) return `x.k${key}`
  const found = `c.${quoteIdentifier(name)}`
  if (name === "event_rows") return `${found} - x.n`
  const sum = columnsOf(plan, "sum").findIndex((column) => column.name === name)
  if (sum >= 0) return `${found} - x.s${sum}`
  const at = probedFrom(plan, name)
  if (!at) return found
  return `case when ${at.condition} then ${probes.has(at.probe) ? `${at.probe}_row.${at.value}` : "null"} else ${found} end`
}

/** For a column that a probe can change: when it does, which probe, and which of its columns. */
function probedFrom(
  plan: FoldPlan,
  name: string,
): { condition: string; probe: string; value: string } | undefined {
  const column = plan.columns.find((each) => each.name === name)
  if (column?.aggregate === "min" || column?.aggregate === "max")
    return { condition: extremeInRange(plan, column), probe: extremeAlias(plan, column), value: "m" }
  for (const end of plan.ends) {
    const at = plan.position.findIndex((position) => endColumn(end, position.name) === name)
    if (at >= 0) return { condition: endInRange(end), probe: end, value: `p${at}` }
    if (column?.aggregate === end)
      return { condition: endInRange(end), probe: end, value: valueAlias(plan, column) }
  }
  return undefined
}
