// Derives heights again while processes run: what a worker and its dependents have derived of them is undone, and the
// heights are open again. Tables keep their other rows.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { reopenHeights } from "../workers/postgres/reopen-heights.js"
import { derivedWorkerNames, noSuchWorker } from "./not-found.js"
import type { OperatedChain } from "./operated-chain.js"

/** It is one transaction that holds the chain: more would keep everybody waiting. */
const mostHeights = 10_000

/** Throws NOT_FOUND where the worker does not cover all of them, USAGE where they are too many. */
export async function rederiveHeights(
  chain: OperatedChain,
  { actor, worker, range }: { readonly actor: string; readonly worker: string; readonly range: BlockRange },
): Promise<void> {
  if (range.from >= range.to || range.to - range.from > mostHeights)
    throw new IndexerError("USAGE", `${formatRange(range)} must be 1 to ${mostHeights} heights`)
  if (!(await derivedWorkerNames(chain.app)).includes(worker)) throw await noSuchWorker(chain, worker)
  if (await reopenHeights(chain, { worker, heights: [range], actor, action: "rederive" })) return
  throw new IndexerError("NOT_FOUND", `${worker} of ${chain.name} has not derived all of ${formatRange(range)}`)
}
