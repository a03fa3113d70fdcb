// Counts a DEAD block as done without its data. Every answer over it says so.

import type { LeaseRow } from "../coordination/lease-store.js"
import { IndexerError } from "../platform/errors.js"
import { type DeadFilter, findDeadBlocks } from "./find-dead-blocks.js"
import { nothingThere } from "./not-found.js"
import { leasesOf, type OperatedChain, unfinishedLeases, type WorkerBlock } from "./operated-chain.js"

/** What would be skipped, to be shown before it is; NOT_FOUND where no block is DEAD there. */
export async function findDeadBlock(chain: OperatedChain, block: WorkerBlock): Promise<LeaseRow> {
  const dead = (await unfinishedLeases(chain)).find(
    ({ worker, status, range }) => worker === block.worker && status === "DEAD" && range.from === block.height,
  )
  if (dead) return dead
  throw await nothingThere(chain, { ...block, what: "no DEAD block to skip", statuses: ["DEAD"] })
}

/** Every DEAD block that is meant; returns those that were still DEAD when it reached them. */
export async function skipDeadBlocks(
  chain: OperatedChain,
  { actor, ...filter }: DeadFilter & { readonly actor: string },
): Promise<readonly WorkerBlock[]> {
  const skipped: WorkerBlock[] = []
  for (const block of await findDeadBlocks(chain, filter)) {
    if (await leasesOf(chain, block.worker).skip({ actor, ...block })) skipped.push(block)
  }
  return skipped
}

export async function skipBlock(
  chain: OperatedChain,
  { actor, worker, height }: WorkerBlock & { readonly actor: string },
): Promise<void> {
  if (await leasesOf(chain, worker).skip({ actor, worker, height })) return
  throw new IndexerError("NOT_FOUND", `Block ${height} of ${worker} is not DEAD; nothing was skipped.`)
}
