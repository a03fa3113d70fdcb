// The lookups of an undo among the rows that stay: the first or last of a key, a min or max. One index walk for each key.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import {
  columnsOf,
  endColumn,
  type FoldEnd,
  type FoldPlan,
  type PlannedColumn,
  type PlannedSource,
} from "../fold-plan.js"
import { expressionSql, sourceConditions } from "./expression-sql.js"
import { extremeAlias, tableName, valueAlias } from "./fold-names.js"

/** Ranges as parameters: their outer ends, by which partitions are pruned, and each of them if there are several. */
export interface Bounds {
  readonly from: string
  readonly to: string
  readonly each: string | undefined
}

export const endInRange = (end: FoldEnd): string => {
  const height = `c.${quoteIdentifier(endColumn(end, "block_height"))}`
  return `(${height} >= $1::int8 and ${height} < $2::int8)`
}

export const extremeInRange = (plan: FoldPlan, column: PlannedColumn): string =>
  `c.${quoteIdentifier(column.name)} = x.${extremeAlias(plan, column)}`

/**
 * The first or last row of key x that stays. Range by range from that end, so that rows ahead of the fold, millions for a
 * busy key, are never read.
 */
export function endProbe(plan: FoldPlan, end: FoldEnd, { from, to, each }: Bounds): string {
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

export function extremeProbe(plan: FoldPlan, column: PlannedColumn, { from, to, each }: Bounds): string {
  const kept = [
    `t.block_height >= ${from} and t.block_height < ${to}`,
    ...(each === undefined ? [] : [`t.block_height <@ (select range_agg(int8range(h.lo, h.hi)) from ${each})`]),
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

/** Nothing is looked up for a key without remaining rows. */
const stays = "c.event_rows > x.n"

/**
 * Sources that read one table by one key share a probe, which ends at the first row that any of them takes. Separate probes
 * would read all rows of a busy key to find that none of them is, say, a burn. In the order in which they win a tie.
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

const probeKey = (source: PlannedSource): string =>
  source.key
    .map((expression, at) => {
      if (expression.of !== "column") throw new Error(`${source.table} is probed by a key that is computed`)
      return `t.${quoteIdentifier(expression.column)} = x.k${at}`
    })
    .join(" and ")
