// Takes heights out of a state table, exactly, while their event rows are still there: sums are subtracted, and a
// first, last, min or max that came from them is found anew among the heights that stay. No before-images: they
// are wrong as soon as history commits below them.

import type { BlockRange } from "../../domain/block-range.js"
import { intersect, type RangeSet, subtract } from "../../domain/range-set.js"
import { allAnswered } from "../../postgres/all-answered.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { FoldPlan } from "../fold-plan.js"
import { undoSql } from "./undo-sql.js"

export interface UndoFoldOptions {
  /** Any heights; those the fold does not cover are passed over, since upstream may be ahead of it. */
  readonly removed: RangeSet
  /** Of the fold, before the undo. */
  readonly coverage: RangeSet
}

export interface UndoneFold {
  /** Rows changed or deleted, counted once for each range. */
  readonly keys: number
  readonly deleted: number
}

/**
 * In a transaction, under the exclusive chain lock: what stays is looked up as it is at that moment. All statements are sent before it returns
 * its promise, so what is sent next comes after them.
 */
export async function undoFold(
  tx: Queryable,
  plan: FoldPlan,
  { removed, coverage }: UndoFoldOptions,
): Promise<UndoneFold> {
  // One range at a time, each a whole undo of its own, so that the planner knows how little a range selects.
  let before = coverage
  const undone = await allAnswered(
    intersect(coverage, removed).map((range) => {
      before = subtract(before, [range])
      return undoRange(tx, plan, { range, kept: before })
    }),
  )
  return {
    keys: undone.reduce((sum, { keys }) => sum + keys, 0),
    deleted: undone.reduce((sum, { deleted }) => sum + deleted, 0),
  }
}

async function undoRange(
  tx: Queryable,
  plan: FoldPlan,
  { range, kept }: { range: BlockRange; kept: RangeSet },
): Promise<UndoneFold> {
  const { text, name, params } = undoSql(plan, { range, kept })
  const {
    rows: [counts],
  } = await tx.query<{ keys: number; emptied: number; missing: number }>(text, params, { name })
  const { keys, emptied, missing } = counts!
  // Going on would leave rows that no event stands behind. Thrown as a bug: it is one, or someone wrote by hand.
  if (missing > 0)
    throw new Error(
      `${missing} rows of app.${plan.table} lack events of the heights [${range.from}, ${range.to}) that are to be undone`,
    )
  return { keys, deleted: emptied }
}
