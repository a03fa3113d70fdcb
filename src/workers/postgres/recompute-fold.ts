// Recomputes some keys of a state table from their event rows, to repair damaged rows.

import type { RangeSet } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import { columnTypes } from "../column.js"
import type { FoldPlan, PlannedSource } from "../fold-plan.js"
import { aggregatedColumns, aggregateSql } from "./aggregate-sql.js"
import type { StateRowText } from "./diff-fold.js"
import { expressionSql } from "./expression-sql.js"
import { columnList, keyList, tableName } from "./fold-names.js"

/** Under the exclusive chain lock, with the coverage read under it: otherwise a commit could be lost or counted twice. */
export async function recomputeFold(
  tx: Queryable,
  plan: FoldPlan,
  { coverage, keys }: { coverage: RangeSet; keys: readonly StateRowText[] },
): Promise<void> {
  if (keys.length === 0) return
  const { remove, insert } = recomputeSql(plan)
  const columns = plan.key.map(({ name }) => keys.map((key) => key[name] ?? null))
  await tx.query(remove, columns)
  await tx.query(insert, [printMultirange(coverage), ...columns])
}

/** Deletes the rows of these keys and folds them again. $1 is the coverage, $2 and on an array for each key column. */
function recomputeSql(plan: FoldPlan): { remove: string; insert: string } {
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
