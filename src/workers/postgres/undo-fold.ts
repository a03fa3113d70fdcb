// Removes heights from a state table, exactly, while their event rows still exist: subtracts sums, and looks up another
// first, last, min or max among the heights that stay. No before-images: they are wrong as soon as history commits below.
//
// No statement of a fold scans the state table. An insert on conflict and a lateral subquery with a limit both use the key's
// index whatever the planner expects; a plain join does so only while its estimates are good. Rows found this way are
// written by their address.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { intersect, type RangeSet, subtract } from "../../domain/range-set.js"
import { IndexerError } from "../../platform/errors.js"
import { allAnswered } from "../../postgres/all-answered.js"
import { statementName } from "../../postgres/kept-prepared.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { columnsOf, endColumn, type FoldPlan, stateColumns, type UndoText } from "../fold-plan.js"
import { aggregateSql, inBlock, inRange } from "./aggregate-sql.js"
import { columnList, extremeAlias, tableName, valueAlias } from "./fold-names.js"
import { type Bounds, endInRange, endProbe, extremeInRange, extremeProbe } from "./probe-sql.js"

export interface UndoFoldOptions {
  /** Any heights; those the fold does not cover are ignored, since upstream may be ahead of it. */
  readonly removed: RangeSet
  /** Of the fold, before the undo. */
  readonly coverage: RangeSet
}

/**
 * In a transaction under the exclusive chain lock, since it reads what stays. All statements are sent before it returns its
 * promise, so later statements run after them.
 */
export async function undoFold(tx: Queryable, plan: FoldPlan, { removed, coverage }: UndoFoldOptions): Promise<void> {
  // One statement for each range, so that the planner knows how little it selects.
  let before = coverage
  await allAnswered(
    intersect(coverage, removed).map((range) => {
      before = subtract(before, [range])
      return undoRange(tx, plan, { range, kept: before })
    }),
  )
}

async function undoRange(tx: Queryable, plan: FoldPlan, heights: UndoneHeights): Promise<void> {
  const { text, name, params } = undoSql(plan, heights)
  const { rows } = await tx.query<{ missing: number; damaged?: string | null }>(text, params, { name })
  const { range } = heights
  const { missing, damaged } = rows[0]!
  // Otherwise rows without events would remain. A bug, unless rows were changed by hand or the disk is bad.
  if (missing > 0) {
    const key = plan.key.map((column) => column.name).join(", ")
    const first = damaged ? `, first (${key}) = ${damaged}` : ""
    throw new IndexerError(
      "FOLD_DAMAGED",
      `${missing === 1 ? "a row" : `${missing} rows`} of app.${plan.table} (${plan.worker}) lack events of the heights ` +
        `${formatRange(range)}${first}: \`tidemark repair --checks folds --yes\` folds them again`,
    )
  }
}

/**
 * Removes a range from the table: subtracts its sums, looks up replacements (for an end whose position lies in it, for an
 * extreme that one of its rows equals), and deletes keys without rows. One statement, which reads each row before it writes
 * it: under the exclusive chain lock there is no other writer. Returns how many rows are missing; then the caller must roll
 * back.
 */
export function undoSql(plan: FoldPlan, heights: UndoneHeights): UndoSql {
  const { range } = heights
  const oneBlock = range.to - range.from === 1
  const probed = probedRanges(plan, heights)
  // Everything the text depends on; values are parameters.
  const shape = [oneBlock, ...probed.map(([name, ranges]) => `${name}:${Math.min(ranges.length, 2)}`)].join()
  const known = plan.undoTexts.get(shape) ?? makeText(plan, { oneBlock, probed })
  plan.undoTexts.set(shape, known)
  return { ...known, params: [range.from, range.to, ...probed.flatMap(([, ranges]) => boundValues(ranges))] }
}

export interface UndoSql extends UndoText {
  readonly params: readonly unknown[]
}

function makeText(plan: FoldPlan, { oneBlock, probed }: { oneBlock: boolean; probed: ProbedRanges }): UndoText {
  const probes = planProbes(plan, probed)
  const changed = stateColumns(plan)
    .filter(({ name }) => !plan.key.some((key) => key.name === name))
    .map(({ name }) => quoteIdentifier(name))
  const sameKey = plan.key.map(({ name }, at) => `c.${quoteIdentifier(name)} = x.k${at}`).join(" and ")
  const text = `${aggregateSql(plan, oneBlock ? inBlock : inRange, { apart: true })},
undone as (
  select ${stateColumns(plan)
    .map(({ name }) => `${undoneColumn(plan, probes, name)} as ${quoteIdentifier(name)}`)
    .join(", ")}, c.ctid as ${rowAddress}
  from folded x
  left join lateral (
    select ${columnList(plan, "c")}, c.ctid from ${tableName(plan.table)} c where ${sameKey} limit 1
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
select (count(*) filter (where event_rows is null or event_rows < 0))::int4 as missing,
  min(row(${columnKeys(plan)})::text) filter (where event_rows is null or event_rows < 0) as damaged
from undone`
  return { text, name: oneBlock ? statementName(text) : undefined }
}

const columnKeys = (plan: FoldPlan): string => plan.key.map(({ name }) => quoteIdentifier(name)).join(", ")

export interface UndoneHeights {
  /** What goes. */
  readonly range: BlockRange
  /** What the fold covers afterwards. */
  readonly kept: RangeSet
}

/** A name that no column can have. */
const rowAddress = quoteIdentifier("row address")

/** By name: the ranges in which each end and extreme is looked up. */
type ProbedRanges = readonly (readonly [name: string, among: RangeSet])[]

/**
 * A removed first has its successor above the range, since a row below it would have been first; a removed last has it
 * below. So a rollback of the tip never looks for firsts.
 */
function probedRanges(plan: FoldPlan, { range, kept }: UndoneHeights): ProbedRanges {
  const ends = plan.ends.map((end) => {
    const among = kept.filter(({ from, to }) => (end === "first" ? from >= range.to : to <= range.from))
    return [end, among] as const
  })
  const extremes = columnsOf(plan, "min", "max").map((column) => [extremeAlias(plan, column), kept] as const)
  return [...ends, ...extremes].filter(([, among]) => among.length > 0)
}

function planProbes(plan: FoldPlan, probed: ProbedRanges): ReadonlyMap<string, string> {
  let placed = 2
  const place = () => `$${++placed}`
  return new Map(
    probed.map(([name, among]) => {
      const bounds = placeBounds(among, place)
      const end = plan.ends.find((each) => each === name)
      if (end) return [name, endProbe(plan, end, bounds)]
      const column = columnsOf(plan, "min", "max").find((each) => extremeAlias(plan, each) === name)!
      return [name, extremeProbe(plan, column, bounds)]
    }),
  )
}

/** In the order of `boundValues`. */
function placeBounds(ranges: RangeSet, place: () => string): Bounds {
  const from = `${place()}::int8`
  const to = `${place()}::int8`
  if (ranges.length === 1) return { from, to, each: undefined }
  return { from, to, each: `unnest(${place()}::int8[], ${place()}::int8[]) as h(lo, hi)` }
}

function boundValues(ranges: RangeSet): unknown[] {
  const outer = [ranges[0]!.from, ranges.at(-1)!.to]
  if (ranges.length === 1) return outer
  return [...outer, ranges.map((range) => range.from), ranges.map((range) => range.to)]
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
  const probed = probes.has(at.probe) ? `${at.probe}_row.${at.value}` : "null"
  return `case when ${at.condition} then ${probed} else ${found} end`
}

/** For a column that a probe can change: when it does, which probe, and which of its columns. */
function probedFrom(plan: FoldPlan, name: string): { condition: string; probe: string; value: string } | undefined {
  const column = plan.columns.find((each) => each.name === name)
  if (column?.aggregate === "min" || column?.aggregate === "max")
    return { condition: extremeInRange(plan, column), probe: extremeAlias(plan, column), value: "m" }
  for (const end of plan.ends) {
    const at = plan.position.findIndex((position) => endColumn(end, position.name) === name)
    if (at >= 0) return { condition: endInRange(end), probe: end, value: `p${at}` }
    if (column?.aggregate === end) return { condition: endInRange(end), probe: end, value: valueAlias(plan, column) }
  }
  return undefined
}
