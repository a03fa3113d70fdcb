// Retries blocks at once: those that are DEAD or failed, and skipped ones, which are then fetched or derived after
// all.

import { rawIngester } from "../coordination/raw-ingester.js"
import { containsHeight } from "../domain/range-set.js"
import { refetchBlocks } from "../verify/refetch-blocks.js"
import { reopenHeights } from "../workers/postgres/reopen-heights.js"
import { type DeadFilter, findDeadBlocks } from "./find-dead-blocks.js"
import { nothingThere } from "./not-found.js"
import { leasesOf, type OperatedChain, type WorkerBlock } from "./operated-chain.js"

/** Throws NOT_FOUND where that block is neither DEAD, failed nor skipped. */
export async function retryBlock(
  chain: OperatedChain,
  { actor, ...block }: WorkerBlock & { readonly actor: string },
): Promise<void> {
  const isDue = await leasesOf(chain, block.worker).retry({
    actor,
    worker: block.worker,
    height: block.height,
  })
  if (isDue || (await reopenSkipped(chain, { actor, ...block }))) return
  throw await nothingThere(chain, { ...block, what: "no DEAD or failed range", statuses: ["DEAD", "FAILED"] })
}

/** Every DEAD block that is meant; returns those that were still DEAD when it reached them. */
export async function retryDeadBlocks(
  chain: OperatedChain,
  { actor, ...filter }: DeadFilter & { readonly actor: string },
): Promise<readonly WorkerBlock[]> {
  const retried: WorkerBlock[] = []
  for (const block of await findDeadBlocks(chain, filter)) {
    if (await leasesOf(chain, block.worker).retry({ actor, ...block })) retried.push(block)
  }
  return retried
}

/** With all heights derived from it. */
async function reopenSkipped(
  chain: OperatedChain,
  { actor, worker, height }: WorkerBlock & { readonly actor: string },
): Promise<boolean> {
  const schema = worker === rawIngester ? "raw" : "app"
  const covered = (await chain.ledgers[schema].readCoverage(chain[schema])).get(worker)
  if (!covered || !containsHeight(covered.skipped, height)) return false
  const range = { from: height, to: height + 1 }
  if (schema === "app") {
    return reopenHeights(chain, { worker, heights: [range], actor, action: "retry" })
  }
  // It has no derived rows, but workers cover it as if there were nothing to derive.
  await refetchBlocks(chain, { heights: range, actor, action: "retry" })
  return true
}
