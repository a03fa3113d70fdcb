// The SQL of a fold, from its plan: with ranges as parameters. Let the server plan each run with its values (no named
// statements): what a range selects differs by five orders of magnitude. The undo of one block is the exception.
//
// No statement ever scans the state table. An insert on conflict and a lateral subquery with a limit both go
// through the key's index whatever the planner expects; a plain join would do so only while its estimates are good. What
// was found so is written where it was found, by its row's address.

import type { BlockRange } from "../../domain/block-range.js"
import type { RangeSet } from "../../domain/range-set.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { quoteLiteral } from "../../postgres/quote-literal.js"
import { type ColumnKind, columnTypes } from "../column.js"
import {
  columnsOf,
  endColumn,
  type FoldCondition,
  type FoldEnd,
  type FoldExpression,
  type FoldLiteral,
  type FoldPlan,
  type PlannedColumn,
  type PlannedSource,
  stateColumns,
} from "../fold-plan.js"

const schema = "app"

/** $1 and $2 are the range. Aggregates all of it before the first row is locked, then locks in key order. */
export function applySql(plan: FoldPlan): string {
  return `${aggregateSql(plan, inRange)}
insert into ${tableName(plan.table)} as s (${columnList(plan)})
select ${aggregatedColumns(plan).join(", ")}
from folded x
order by ${keyAliases(plan, "x")}
on conflict (${keyList(plan)}) do update set
  ${[...sumUpdates(plan), ...endUpdates(plan), ...extremeUpdates(plan)].join(",\n  ")}`
}

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

/** Ranges as parameters: their outer ends, by which whole partitions are passed over, and each where there are several. */
interface Bounds {
  readonly from: string
  readonly to: string
  readonly each: string | undefined
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

/**
 * $1 is the coverage as a multirange, $2 the most rows to give: those where the table and a fold over the coverage
 * differ, the values of each side as text and null for a row that one side lacks. Only keys whose first column is above
 * $3 and not above $4; null for no bound.
 */
export function diffSql(plan: FoldPlan): string {
  const columns = stateColumns(plan).map(({ name }) => quoteIdentifier(name))
  const texts = (alias: string) => `array[${columns.map((name) => `${alias}.${name}::text`).join(", ")}]`
  const compared = columns.map((name) => `e.${name} is distinct from s.${name}`)
  const type = columnTypes[plan.key[0]!.kind]
  // Each run is planned with its values, so a bound that is null costs nothing.
  const bounded = (value: string): string =>
    `($3::${type} is null or ${value} > $3::${type}) and ($4::${type} is null or ${value} <= $4::${type})`
  const rows = (source: PlannedSource): string =>
    `t.block_height <@ $1::int8multirange and ${bounded(expressionSql(source.key[0]!, plan.key[0]!.kind))}`
  return `${aggregateSql(plan, rows)},
expected as (
  select ${stateColumns(plan)
    .map(({ name }, at) => `${aggregatedColumns(plan)[at]} as ${quoteIdentifier(name)}`)
    .join(", ")}
  from folded x
)
select case when e.event_rows is null then null else ${texts("e")} end as expected,
  case when s.event_rows is null then null else ${texts("s")} end as found
from expected e
full join (
  select ${columnList(plan)} from ${tableName(plan.table)} where ${bounded(quoteIdentifier(plan.key[0]!.name))}
) s on ${sameKeyNames(plan, "e", "s")}
where ${compared.join(" or ")}
order by ${plan.key.map(({ name }) => `coalesce(e.${quoteIdentifier(name)}, s.${quoteIdentifier(name)})`).join(", ")}
limit $2::int4`
}

/** $1 is the coverage as a multirange, $2 and on an array for each key column. First deletes the rows of these keys, then folds them anew. */
export function recomputeSql(plan: FoldPlan): { remove: string; insert: string } {
  const wanted = (first: number): string =>
    `select * from unnest(${plan.key.map(({ kind }, at) => `$${first + at}::${columnTypes[kind]}[]`).join(", ")})`
  const rows = (source: PlannedSource): string => {
    const key = source.key.map((expression, at) => expressionSql(expression, plan.key[at]!.kind))
    return `t.block_height <@ $1::int8multirange and (${key.join(", ")}) in (${wanted(2)})`
  }
  return {
    remove: `delete from ${tableName(plan.table)} where (${keyList(plan)}) in (${wanted(1)})`,
    insert: `${aggregateSql(plan, rows)}
insert into ${tableName(plan.table)} (${columnList(plan)})
select ${aggregatedColumns(plan).join(", ")}
from folded x`,
  }
}

/** Rows t of the heights [$1, $2). */
export const inRange = "t.block_height >= $1::int8 and t.block_height < $2::int8"
/**
 * The same for a range of one block. Of an equality the planner knows at once how little it selects; to guess at a range at the tip it looks
 * up where the index ends, for each table and bound, and walks over what earlier rollbacks left there.
 */
export const inBlock = "t.block_height = $1::int8 and $2::int8 = $1::int8 + 1"

/**
 * CTEs up to `folded`: one row for each key, k0… the key, n the count of rows behind it, s0… the sums, m0… min and max, f and l the first
 * and last position as arrays (there is no min of records), v0… the values there. Rows of few heights are read apart, by their
 * heights: where sorting is made dear the planner would rather walk a whole index that has them in the order of their key.
 */
function aggregateSql(
  plan: FoldPlan,
  counts: string | ((source: PlannedSource) => string),
  { apart = false }: { apart?: boolean } = {},
): string {
  const keys = plan.key.map((_, at) => `k${at}`)
  const sums = columnsOf(plan, "sum").map(
    ({ kind }, at) => `coalesce(sum(r.s${at}), 0)::${columnTypes[kind]} as s${at}`,
  )
  const extremes = columnsOf(plan, "min", "max").map(
    ({ aggregate }, at) => `${aggregate}(r.m${at}) as m${at}`,
  )
  const ends = plan.ends.map((end) => (end === "first" ? "min(r.p) as f" : "max(r.p) as l"))
  const valued = plan.ends.filter((end) => columnsOf(plan, end).length > 0)
  const grouped = `select ${[...keys, "sum(r.n)::int8 as n", ...sums, ...extremes, ...ends].join(", ")}
  from counted r
  group by ${keys.join(", ")}`
  const counted = `with counted as ${apart ? "materialized " : ""}(
  ${scans(plan)
    .map((sources) => scanRows(plan, sources, typeof counts === "string" ? counts : counts(sources[0]!)))
    .join("\n  union all\n  ")}
)`
  if (valued.length === 0) return `${counted},\nfolded as (\n  ${grouped}\n)`
  return `${counted},
grouped as (
  ${grouped}
),
${valued.map((end) => `${end}_rows as (${endRows(plan, end)})`).join(",\n")},
folded as (
  select g.*, ${columnsOf(plan, "first", "last")
    .map((column) => `${column.aggregate}_rows.${valueAlias(plan, column)}`)
    .join(", ")}
  from grouped g
  ${valued.map((end) => `left join ${end}_rows on ${keys.map((k) => `${end}_rows.${k} = g.${k}`).join(" and ")}`).join("\n  ")}
)`
}

/** The row of each key that comes first or last. Ties are decided strictly, down to the source (hazard 24). */
function endRows(plan: FoldPlan, end: FoldEnd): string {
  const keys = plan.key.map((_, at) => `r.k${at}`).join(", ")
  const direction = end === "first" ? "asc" : "desc"
  const values = columnsOf(plan, end).map((column) => `r.${valueAlias(plan, column)}`)
  return `
  select distinct on (${keys}) ${keys}, ${values.join(", ")}
  from counted r
  where r.p is not null
  order by ${keys}, r.p ${direction}, r.o ${direction}
`
}

/**
 * Sources that one scan can serve, as they give the same key for the same row. Where values of ends are taken each stands
 * alone: which source a row came from decides ties.
 */
function scans(plan: FoldPlan): PlannedSource[][] {
  if (columnsOf(plan, "first", "last").length > 0) return plan.sources.map((source) => [source])
  const groups = new Map<string, PlannedSource[]>()
  for (const source of plan.sources) {
    const keys = source.key.map((expression, at) => expressionSql(expression, plan.key[at]!.kind))
    const name = JSON.stringify([source.table, ...keys])
    groups.set(name, [...(groups.get(name) ?? []), source])
  }
  return [...groups.values()]
}

/** One row for each row of the table that any of the sources counts; n says how many do. */
function scanRows(plan: FoldPlan, sources: readonly PlannedSource[], heights: string): string {
  const [first] = sources
  const conditions = sources.map((source) => sourceConditions(source).join(" and "))
  const alone = sources.length === 1
  // A condition that is unknown for a null does not hold.
  const where = (at: number, value: string): string =>
    alone || conditions[at] === "" ? value : `case when ${conditions[at]} then ${value} end`
  const valuesOf = (column: PlannedColumn): string[] =>
    sources.flatMap((source, at) => {
      const expression = source.set.get(column.name)
      return expression ? [where(at, expressionSql(expression, column.kind))] : []
    })
  const combined = (column: PlannedColumn): string => {
    const [value, ...more] = valuesOf(column)
    if (value === undefined) return `null::${columnTypes[column.kind]}`
    if (more.length === 0) return value
    const all = [value, ...more]
    if (column.aggregate === "sum") return all.map((each) => `coalesce(${each}, 0)`).join(" + ")
    return `${column.aggregate === "min" ? "least" : "greatest"}(${all.join(", ")})`
  }
  const named = (columns: readonly PlannedColumn[], letter: string) =>
    columns.map((column, at) => `${combined(column)} as ${letter}${at}`)
  const counts = sources.map((_, at) => (alone ? "1" : `coalesce(${where(at, "1")}, 0)`))
  const values = columnsOf(plan, "first", "last")
  const selected = [
    ...first!.key.map((expression, at) => `${expressionSql(expression, plan.key[at]!.kind)} as k${at}`),
    `${counts.join(" + ")} as n`,
    ...named(columnsOf(plan, "sum"), "s"),
    ...named(columnsOf(plan, "min", "max"), "m"),
    ...(plan.ends.length > 0 ? [`${scanPosition(plan, sources)} as p`] : []),
    ...named(values, "v"),
    ...(values.length > 0 ? [`${first!.ordinal} as o`] : []),
  ]
  return `select ${selected.join(", ")}
  from ${tableName(first!.table)} t
  where ${[heights, ...anyOf(conditions)].join(" and ")}`
}

/** Null where none of the sources that count the row is one that is seen. */
function scanPosition(plan: FoldPlan, sources: readonly PlannedSource[]): string {
  const seen = sources.filter((source) => source.seen)
  if (seen.length === 0) return "null::int8[]"
  const position = `array[${plan.position.map(({ name }) => `t.${quoteIdentifier(name)}::int8`).join(", ")}]`
  if (seen.length === sources.length) return position
  const [condition] = anyOf(seen.map((source) => sourceConditions(source).join(" and ")))
  return condition === undefined ? position : `case when ${condition} then ${position} end`
}

/** Nothing where one of them holds for every row. */
function anyOf(conditions: readonly string[]): string[] {
  if (conditions.includes("")) return []
  const distinct = [...new Set(conditions)]
  return distinct.length === 1 ? distinct : [`(${distinct.map((each) => `(${each})`).join(" or ")})`]
}

/** What makes a row count, whatever its height. A row whose key has a null counts for nobody. */
function sourceConditions(source: PlannedSource): string[] {
  return [
    ...source.where.map(conditionSql),
    ...source.key.flatMap((expression) =>
      expression.of !== "literal" && expression.nullable
        ? [`t.${quoteIdentifier(expression.column)} is not null`]
        : [],
    ),
  ]
}

function conditionSql({ column, kind, test, value }: FoldCondition): string {
  const name = `t.${quoteIdentifier(column)}`
  if (value === null) return `${name} is ${test === "is" ? "null" : "not null"}`
  return test === "is"
    ? `${name} = ${literalSql(value, kind)}`
    : `${name} is distinct from ${literalSql(value, kind)}`
}

function expressionSql(expression: FoldExpression, kind: ColumnKind): string {
  if (expression.of === "literal") return literalSql(expression.literal, kind)
  const column = `t.${quoteIdentifier(expression.column)}`
  if (expression.of === "day") return `(${column} at time zone 'UTC')::date`
  const value = expression.kind === kind ? column : `${column}::${columnTypes[kind]}`
  // Widened first: the smallest int2 has no opposite among its own.
  return expression.of === "negate" ? `-(${value})` : value
}

function literalSql(literal: FoldLiteral, kind: ColumnKind): string {
  const text = kind === "bytes" ? `\\x${String(literal).slice(2)}` : String(literal)
  return `${quoteLiteral(text)}::${columnTypes[kind]}`
}

/** What is inserted for a key, in the order of the table's columns. */
function aggregatedColumns(plan: FoldPlan): string[] {
  const sums = columnsOf(plan, "sum")
  const extremes = columnsOf(plan, "min", "max")
  return [
    ...plan.key.map((_, at) => `x.k${at}`),
    ...plan.columns.map((column) => {
      if (column.aggregate === "sum") return `x.s${sums.indexOf(column)}`
      if (column.aggregate === "min" || column.aggregate === "max") return `x.m${extremes.indexOf(column)}`
      return `x.${valueAlias(plan, column)}`
    }),
    "x.n",
    ...plan.ends.flatMap((end) =>
      plan.position.map(
        ({ kind }, at) => `x.${end === "first" ? "f" : "l"}[${at + 1}]::${columnTypes[kind]}`,
      ),
    ),
  ]
}

const sumUpdates = (plan: FoldPlan): string[] =>
  [...columnsOf(plan, "sum").map(({ name }) => name), "event_rows"].map((name) => {
    const column = quoteIdentifier(name)
    return `${column} = s.${column} + excluded.${column}`
  })

function endUpdates(plan: FoldPlan): string[] {
  return plan.ends.flatMap((end) => {
    const positions = plan.position.map(({ name }) => quoteIdentifier(endColumn(end, name)))
    const side = (alias: string) => `(${positions.map((name) => `${alias}.${name}`).join(", ")})`
    const wins = `excluded.${positions[0]} is not null and (s.${positions[0]} is null or ${side("excluded")} ${end === "first" ? "<" : ">"} ${side("s")})`
    return [...columnsOf(plan, end).map(({ name }) => quoteIdentifier(name)), ...positions].map(
      (name) => `${name} = case when ${wins} then excluded.${name} else s.${name} end`,
    )
  })
}

const extremeUpdates = (plan: FoldPlan): string[] =>
  columnsOf(plan, "min", "max").map(({ name, aggregate }) => {
    const column = quoteIdentifier(name)
    // Both pass over nulls.
    return `${column} = ${aggregate === "min" ? "least" : "greatest"}(s.${column}, excluded.${column})`
  })

const endInRange = (end: FoldEnd): string => {
  const height = `c.${quoteIdentifier(endColumn(end, "block_height"))}`
  return `(${height} >= $1::int8 and ${height} < $2::int8)`
}

/** What no row stands behind any more is not looked for. */
const stays = "c.event_rows > x.n"

const extremeInRange = (plan: FoldPlan, column: PlannedColumn): string =>
  `c.${quoteIdentifier(column.name)} = x.${extremeAlias(plan, column)}`

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

/**
 * The first or last row of key x that stays. Range by range from that end, so that rows ahead of the fold, of which
 * a busy key can have millions, are never walked over.
 */
function endProbe(plan: FoldPlan, end: FoldEnd, { from, to, each }: Bounds): string {
  const direction = end === "first" ? "asc" : "desc"
  const positions = plan.position.map((_, at) => `p${at}`)
  const values = columnsOf(plan, end)
  const selected = [...positions, ...values.map((column) => valueAlias(plan, column))]
  const ordered = (names: readonly string[]) => names.map((name) => `${name} ${direction}`).join(", ")
  const wanted = `${endInRange(end)} and ${stays}`
  const probes = probedTogether(plan, end).map((sources) => {
    const inner = [
      ...plan.position.map(({ name }, at) => `t.${quoteIdentifier(name)} as p${at}`),
      `${ofFirstMatch(sources, ({ ordinal }) => String(ordinal))} as o`,
      ...values.map((column) => {
        const value = ofFirstMatch(sources, ({ set }) => expressionSql(set.get(column.name)!, column.kind))
        return `${value} as ${valueAlias(plan, column)}`
      }),
    ]
    // Rows at one position differ in nothing but their values.
    const tie = values.length > 0 && sources.length > 1 ? [`o ${direction}`] : []
    const row = (more: string): string => `
      select ${inner.join(", ")}
      from ${tableName(sources[0]!.table)} t
      where ${probeKey(sources[0]!)} and (${sources.map(matches).join(" or ")})
        and t.block_height >= ${from} and t.block_height < ${to} and ${more}
      order by ${[ordered(plan.position.map(({ name }) => `t.${quoteIdentifier(name)}`)), ...tie].join(", ")}
      limit 1`
    if (each === undefined) return `(${row(wanted)})`
    return `(
    select i.o, ${selected.map((name) => `i.${name}`).join(", ")}
    from (select h.lo, h.hi from ${each} where ${wanted} order by h.lo ${direction}) h
    cross join lateral (${row("t.block_height >= h.lo and t.block_height < h.hi")}) i
    order by h.lo ${direction}
    limit 1
  )`
  })
  if (probes.length === 1) return probes[0]!
  return `
  select ${selected.join(", ")} from (
  ${probes.map((probe) => `select o, ${selected.join(", ")} from ${probe} probe`).join("\n  union all\n  ")}
  ) found
  order by ${ordered([...positions, "o"])}
  limit 1
`
}

/**
 * Sources that read one table by one key are one probe, which ends at the first row that any of them takes. One for each would
 * walk over all rows of a busy key to find that none of them is, say, a burn. In the order in which they win a tie.
 */
function probedTogether(plan: FoldPlan, end: FoldEnd): readonly (readonly PlannedSource[])[] {
  const groups = new Map<string, PlannedSource[]>()
  const seen = plan.sources.filter((source) => source.seen)
  for (const source of end === "first" ? seen : [...seen].reverse()) {
    const name = JSON.stringify([source.table, source.key])
    groups.set(name, [...(groups.get(name) ?? []), source])
  }
  return [...groups.values()]
}

const matches = (source: PlannedSource): string =>
  sourceConditions(source)
    .map((condition) => `(${condition})`)
    .join(" and ") || "true"

const ofFirstMatch = (sources: readonly PlannedSource[], value: (source: PlannedSource) => string): string =>
  sources.length === 1
    ? value(sources[0]!)
    : `case ${sources.map((source) => `when ${matches(source)} then ${value(source)}`).join(" ")} end`

function extremeProbe(plan: FoldPlan, column: PlannedColumn, { from, to, each }: Bounds): string {
  const kept = [
    `t.block_height >= ${from} and t.block_height < ${to}`,
    ...(each === undefined
      ? []
      : [`t.block_height <@ (select range_agg(int8range(h.lo, h.hi)) from ${each})`]),
  ].join(" and ")
  const direction = column.aggregate === "min" ? "asc" : "desc"
  const probes = plan.sources.flatMap((source) => {
    const expression = source.set.get(column.name)
    if (expression?.of !== "column") return []
    const value = `t.${quoteIdentifier(expression.column)}`
    return [
      `(
    select ${value} as m
    from ${tableName(source.table)} t
    where ${[extremeInRange(plan, column), stays, probeKey(source), ...sourceConditions(source)].join(" and ")}
      and ${value} is not null and ${kept}
    order by ${value} ${direction}
    limit 1
  )`,
    ]
  })
  return `
  select found.m from (
  ${probes.join("\n  union all\n  ")}
  ) found
  order by found.m ${direction}
  limit 1
`
}

const probeKey = (source: PlannedSource): string =>
  source.key
    .map((expression, at) => {
      if (expression.of !== "column") throw new Error(`${source.table} is probed by a key that is computed`)
      return `t.${quoteIdentifier(expression.column)} = x.k${at}`
    })
    .join(" and ")

const tableName = (table: string): string => quoteIdentifier(schema, table)
const keyList = (plan: FoldPlan): string => plan.key.map(({ name }) => quoteIdentifier(name)).join(", ")
const keyAliases = (plan: FoldPlan, alias: string): string =>
  plan.key.map((_, at) => `${alias}.k${at}`).join(", ")
const columnList = (plan: FoldPlan, alias?: string): string =>
  stateColumns(plan)
    .map(({ name }) => quoteIdentifier(...(alias ? [alias, name] : [name])))
    .join(", ")
const sameKey = (plan: FoldPlan, table: string, aliased: string): string =>
  plan.key.map(({ name }, at) => `${table}.${quoteIdentifier(name)} = ${aliased}.k${at}`).join(" and ")
const sameKeyNames = (plan: FoldPlan, a: string, b: string): string =>
  plan.key.map(({ name }) => `${a}.${quoteIdentifier(name)} = ${b}.${quoteIdentifier(name)}`).join(" and ")
const valueAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `v${columnsOf(plan, "first", "last").indexOf(column)}`
const extremeAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `m${columnsOf(plan, "min", "max").indexOf(column)}`
