// Folds event rows by key, in the CTEs that start every statement of a fold.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { columnTypes } from "../column.js"
import { columnsOf, type FoldPlan, type PlannedColumn, type PlannedSource } from "../fold-plan.js"
import { expressionSql, sourceConditions } from "./expression-sql.js"
import { tableName, valueAlias } from "./fold-names.js"

/** Rows t of the heights [$1, $2). */
export const inRange = "t.block_height >= $1::int8 and t.block_height < $2::int8"

/**
 * The same for a range of one block. The planner estimates an equality at once. For a range at the tip it reads the end of
 * the index, for each table and bound, including dead entries of earlier rollbacks.
 */
export const inBlock = "t.block_height = $1::int8 and $2::int8 = $1::int8 + 1"

/**
 * CTEs up to `folded`: one row for each key, k0… the key, n the count of its rows, s0… the sums, m0… min and max, f and l
 * the first and last position as arrays (there is no min of records), v0… the values there. With `apart`, rows are first
 * read by their heights: with sorting disabled, the planner would walk a whole index in key order instead.
 */
export function aggregateSql(
  plan: FoldPlan,
  counts: string | ((source: PlannedSource) => string),
  { apart = false }: { apart?: boolean } = {},
): string {
  const keys = plan.key.map((_, at) => `k${at}`)
  const sums = columnsOf(plan, "sum").map(
    ({ kind }, at) => `coalesce(sum(r.s${at}), 0)::${columnTypes[kind]} as s${at}`,
  )
  const extremes = columnsOf(plan, "min", "max").map(({ aggregate }, at) => `${aggregate}(r.m${at}) as m${at}`)
  const ends = plan.ends.map((end) => (end === "first" ? "min(r.p) as f" : "max(r.p) as l"))
  const values = columnsOf(plan, "first", "last").map(
    (column) => `${endValue(plan, column)} as ${valueAlias(plan, column)}`,
  )
  return `with counted as ${apart ? "materialized " : ""}(
  ${scans(plan)
    .map((sources) => scanRows(plan, sources, typeof counts === "string" ? counts : counts(sources[0]!)))
    .join("\n  union all\n  ")}
),
folded as (
  select ${[...keys, "sum(r.n)::int8 as n", ...sums, ...extremes, ...ends, ...values].join(", ")}
  from ${rankedRows(plan)} r
  group by ${keys.join(", ")}
)`
}

/** The values inserted for a key, in the order of the table's columns. */
export function aggregatedColumns(plan: FoldPlan): string[] {
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
      plan.position.map(({ kind }, at) => `x.${end === "first" ? "f" : "l"}[${at + 1}]::${columnTypes[kind]}`),
    ),
  ]
}

/** The value of the row at an end of its key. The array has one element; no other aggregate accepts every kind. */
const endValue = (plan: FoldPlan, column: PlannedColumn): string =>
  `(array_agg(r.${valueAlias(plan, column)}) filter (where r.is_${column.aggregate}))[1]`

/**
 * The rows, marked as the first or last of their key if values are taken there. Ties are decided strictly, down to the
 * source (hazard 24). Not by a join with those rows: without statistics the planner expects one row, and compares thousands
 * pairwise.
 */
function rankedRows(plan: FoldPlan): string {
  const ends = plan.ends.filter((end) => columnsOf(plan, end).length > 0)
  if (ends.length === 0) return "counted"
  const keys = plan.key.map((_, at) => `c.k${at}`).join(", ")
  const marks = ends.map((end) => {
    const direction = end === "first" ? "asc" : "desc"
    const order = `c.p ${direction} nulls last, c.o ${direction}`
    return `c.p is not null and row_number() over (partition by ${keys} order by ${order}) = 1 as is_${end}`
  })
  return `(select c.*, ${marks.join(", ")} from counted c)`
}

/**
 * Groups sources that one scan can serve, as they give the same key for the same row. If values are taken at ends, each
 * source is scanned alone, since the source decides ties.
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

/** One row for each row of the table that a source counts; n is the number of such sources. */
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

/** Null if no source that counts the row is seen. */
function scanPosition(plan: FoldPlan, sources: readonly PlannedSource[]): string {
  const seen = sources.filter((source) => source.seen)
  if (seen.length === 0) return "null::int8[]"
  const position = `array[${plan.position.map(({ name }) => `t.${quoteIdentifier(name)}::int8`).join(", ")}]`
  if (seen.length === sources.length) return position
  const [condition] = anyOf(seen.map((source) => sourceConditions(source).join(" and ")))
  return condition === undefined ? position : `case when ${condition} then ${position} end`
}

/** Empty if one of the conditions holds for every row. */
function anyOf(conditions: readonly string[]): string[] {
  if (conditions.includes("")) return []
  const distinct = [...new Set(conditions)]
  return distinct.length === 1 ? distinct : [`(${distinct.map((each) => `(${each})`).join(" or ")})`]
}
