// Folds some keys of a state table anew, from their event rows. For rows that someone or something has spoiled.

import type { RangeSet } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { FoldPlan } from "../fold-plan.js"
import type { StateRowText } from "./diff-fold.js"
import { recomputeSql } from "./recompute-sql.js"

/** Under the exclusive chain lock, with the coverage as it is then: else a commit in between would be lost or counted twice. */
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
