// The same comparison for a fold whose events no index finds by key: folds the events some heights at a time into a
// temporary table, and compares that. However long the chain is, no statement reads more than a piece of it.

import { intersect, type RangeSet } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { endColumn, type FoldEnd, type FoldPlan, stateColumns } from "../fold-plan.js"
import { aggregatedColumns, aggregateSql } from "./aggregate-sql.js"
import { compareSql, type DifferenceRow, type FoldDifference, readDifferences } from "./diff-fold.js"
import { columnList, keyList, tableName } from "./fold-names.js"

export interface DiffFoldByHeightOptions {
  readonly coverage: RangeSet
  readonly limit: number
  /** Heights in one statement. */
  readonly perPiece: number
  /** Before each piece. May throw. */
  readonly onPiece?: () => void
}

const expected = "expected_fold"

/** In a transaction with one snapshot that may write temporary tables. */
export async function diffFoldByHeight(
  tx: Queryable,
  plan: FoldPlan,
  { coverage, limit, perPiece, onPiece }: DiffFoldByHeightOptions,
): Promise<readonly FoldDifference[]> {
  await tx.query(`create temporary table ${expected} (like ${tableName(plan.table)}) on commit drop`)
  await tx.query(`alter table ${expected} add primary key (${keyList(plan)})`)
  const [first, last] = [coverage[0], coverage.at(-1)]
  const merge = mergeSql(plan)
  // Upwards: what is the first of its key stays, and the last is replaced.
  for (let from = first?.from ?? 0; last !== undefined && from < last.to; from += perPiece) {
    const piece = intersect(coverage, [{ from, to: from + perPiece }])
    if (piece.length === 0) continue
    onPiece?.()
    await tx.query(merge, [printMultirange(piece)])
  }
  const compare = compareSql(plan, { expected, where: "true", limit: "$1" })
  const { rows } = await tx.query<DifferenceRow>(compare, [limit])
  await tx.query(`drop table ${expected}`)
  return readDifferences(plan, rows)
}

/** $1 is a piece of the coverage as a multirange. */
function mergeSql(plan: FoldPlan): string {
  const set = new Map<string, string>([["event_rows", add("event_rows")]])
  for (const { name, aggregate } of plan.columns) {
    if (aggregate === "sum") set.set(name, add(name))
    else if (aggregate === "min" || aggregate === "max") {
      const [held, added] = sides(name)
      set.set(name, `${aggregate === "min" ? "least" : "greatest"}(${held}, ${added})`)
    } else set.set(name, endOf(plan, aggregate, name))
  }
  for (const end of plan.ends)
    for (const { name } of plan.position) set.set(endColumn(end, name), endOf(plan, end, endColumn(end, name)))
  const key = new Set(plan.key.map(({ name }) => name))
  const assigned = stateColumns(plan)
    .filter(({ name }) => !key.has(name))
    .map(({ name }) => `${quoteIdentifier(name)} = ${set.get(name)!}`)
  return `${aggregateSql(plan, "t.block_height <@ $1::int8multirange")}
insert into ${expected} as held (${columnList(plan)})
select ${aggregatedColumns(plan).join(", ")} from folded x
on conflict (${keyList(plan)}) do update set ${assigned.join(", ")}`
}

const sides = (name: string): [held: string, added: string] => [
  `held.${quoteIdentifier(name)}`,
  `excluded.${quoteIdentifier(name)}`,
]

const add = (name: string): string => sides(name).join(" + ")

/** A key that has had only unseen rows so far has no ends. */
function endOf(plan: FoldPlan, end: FoldEnd, name: string): string {
  const [held, added] = sides(name)
  const [heldAt, addedAt] = sides(endColumn(end, plan.position[0]!.name))
  return end === "first"
    ? `case when ${heldAt} is null then ${added} else ${held} end`
    : `case when ${addedAt} is null then ${held} else ${added} end`
}
