// What a rollback, or a worker that is derived anew, does to all that nodes were asked beside the blocks.

import type { BlockRange } from "../../../domain/block-range.js"
import { allAnswered } from "../../../postgres/all-answered.js"
import type { Queryable } from "../../../postgres/transaction.js"
import { forgetCode, forgetCodeQueue } from "./contract-code/forget-code.js"
import { forgetObservations } from "./token-metadata/forget-observations.js"
import { forgetQueue } from "./token-metadata/forget-queue.js"

/** For a rollback, in its transaction and under its lock. */
export async function forgetObserved(
  tx: Queryable,
  { removed }: { readonly removed: BlockRange },
): Promise<void> {
  await allAnswered([forgetObservations(tx, { removed }), forgetCode(tx, { removed })])
}

export async function forgetQueues(tx: Queryable, workers: readonly string[]): Promise<void> {
  await forgetQueue(tx, workers)
  await forgetCodeQueue(tx, workers)
}
