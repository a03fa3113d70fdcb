// Adds a range of event rows to a state table, in one statement. Applying a range twice counts it twice: the caller
// grows the fold's coverage in the same transaction, and has the chain lock before rows are locked here.

import type { BlockRange } from "../../domain/block-range.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { columnsOf, endColumn, type FoldPlan } from "../fold-plan.js"
import { aggregatedColumns, aggregateSql, inRange } from "./aggregate-sql.js"
import { columnList, keyList, tableName } from "./fold-names.js"

/**
 * The server plans each run with its values, since what a range selects differs by five orders of
 * magnitude; the tip, whose ranges are alike, names the statement and has it parsed once.
 */
export async function applyFold(
  tx: Queryable,
  plan: FoldPlan,
  { range, name }: { range: BlockRange; name?: string | undefined },
): Promise<void> {
  await tx.query(applySql(plan), [range.from, range.to], { name })
}

/** $1 and $2 are the range. Aggregates all of it before the first row is locked, then locks in key order. */
export function applySql(plan: FoldPlan): string {
  return `${aggregateSql(plan, inRange)}
insert into ${tableName(plan.table)} as s (${columnList(plan)})
select ${aggregatedColumns(plan).join(", ")}
from folded x
order by ${plan.key.map((_, at) => `x.k${at}`).join(", ")}
on conflict (${keyList(plan)}) do update set
  ${[...sumUpdates(plan), ...endUpdates(plan), ...extremeUpdates(plan)].join(",\n  ")}`
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
    const comes = end === "first" ? "<" : ">"
    const wins =
      `excluded.${positions[0]} is not null and ` +
      `(s.${positions[0]} is null or ${side("excluded")} ${comes} ${side("s")})`
    return [...columnsOf(plan, end).map(({ name }) => quoteIdentifier(name)), ...positions].map(
      (name) => `${name} = case when ${wins} then excluded.${name} else s.${name} end`,
    )
  })
}

const extremeUpdates = (plan: FoldPlan): string[] =>
  columnsOf(plan, "min", "max").map(({ name, aggregate }) => {
    const column = quoteIdentifier(name)
    // Both ignore nulls.
    return `${column} = ${aggregate === "min" ? "least" : "greatest"}(s.${column}, excluded.${column})`
  })
