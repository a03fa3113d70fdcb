// Compares a state table with a fold of its event rows from scratch, all of it or the keys between two bounds. For
// verification, not for serving.

import type { RangeSet } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { columnTypes } from "../column.js"
import { type FoldPlan, type PlannedSource, stateColumns } from "../fold-plan.js"
import { aggregatedColumns, aggregateSql } from "./aggregate-sql.js"
import { expressionSql } from "./expression-sql.js"
import { columnList, tableName } from "./fold-names.js"

/** Values as PostgreSQL prints them, by column. */
export type StateRowText = Readonly<Record<string, string | null>>

export interface FoldDifference {
  /** Undefined where there should be no row. */
  readonly expected: StateRowText | undefined
  /** Undefined where there is no row. */
  readonly found: StateRowText | undefined
}

export interface DiffFoldOptions {
  readonly coverage: RangeSet
  readonly limit?: number
  /** Of the first key column, as PostgreSQL prints it: keys above this. */
  readonly above?: string | undefined
  /** Keys up to this. */
  readonly upTo?: string | undefined
}

/** In key order; none when the table is the fold over exactly the coverage. */
export async function diffFold(
  tx: Queryable,
  plan: FoldPlan,
  { coverage, limit = 100, above, upTo }: DiffFoldOptions,
): Promise<readonly FoldDifference[]> {
  const params = [printMultirange(coverage), limit, above ?? null, upTo ?? null]
  return readDifferences(plan, (await tx.query<DifferenceRow>(diffSql(plan), params)).rows)
}

export type DifferenceRow = Record<"expected" | "found", (string | null)[] | null>

export function readDifferences(plan: FoldPlan, rows: readonly DifferenceRow[]): readonly FoldDifference[] {
  const names = stateColumns(plan).map(({ name }) => name)
  const byColumn = (values: readonly (string | null)[] | null): StateRowText | undefined =>
    values ? Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) : undefined
  return rows.map(({ expected, found }) => ({ expected: byColumn(expected), found: byColumn(found) }))
}

/**
 * $1 is the coverage as a multirange, $2 the limit. Returns the rows in which the table and a fold over the coverage differ:
 * the values of each side as text, or null for a missing row. Only keys whose first column is above $3 and not above $4;
 * null for no bound.
 */
function diffSql(plan: FoldPlan): string {
  const key = quoteIdentifier(plan.key[0]!.name)
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
${compareSql(plan, { expected: "expected", where: bounded(key), limit: "$2" })}`
}

/** What differs between the table and a relation of its columns, in key order. */
export function compareSql(
  plan: FoldPlan,
  { expected, where, limit }: { readonly expected: string; readonly where: string; readonly limit: string },
): string {
  const columns = stateColumns(plan).map(({ name }) => quoteIdentifier(name))
  const key = plan.key.map(({ name }) => quoteIdentifier(name))
  const texts = (alias: string) => `array[${columns.map((name) => `${alias}.${name}::text`).join(", ")}]`
  const compared = columns.map((name) => `e.${name} is distinct from s.${name}`)
  return `select case when e.event_rows is null then null else ${texts("e")} end as expected,
  case when s.event_rows is null then null else ${texts("s")} end as found
from ${expected} e
full join (
  select ${columnList(plan)} from ${tableName(plan.table)} where ${where}
) s on ${key.map((name) => `e.${name} = s.${name}`).join(" and ")}
where ${compared.join(" or ")}
order by ${key.map((name) => `coalesce(e.${name}, s.${name})`).join(", ")}
limit ${limit}::int4`
}
