// Adds a range of event rows to a state table, in one statement. Applying a range twice counts it twice: the caller
// grows the fold's coverage in the same transaction, and has the chain lock before rows are locked here.

import type { BlockRange } from "../../domain/block-range.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { FoldPlan } from "../fold-plan.js"
import { applySql } from "./apply-sql.js"

/** How many keys were touched. */
export async function applyFold(
  tx: Queryable,
  plan: FoldPlan,
  { range, name }: { range: BlockRange; name?: string },
): Promise<{ keys: number }> {
  const { rowCount } = await tx.query(
    applySql(plan),
    [range.from, range.to],
    name === undefined ? {} : { name },
  )
  return { keys: rowCount ?? 0 }
}
