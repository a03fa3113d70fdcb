// The statements that fold some keys anew.

import { columnTypes } from "../column.js"
import type { FoldPlan, PlannedSource } from "../fold-plan.js"
import { aggregatedColumns, aggregateSql } from "./aggregate-sql.js"
import { expressionSql } from "./expression-sql.js"
import { columnList, keyList, tableName } from "./fold-names.js"

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
