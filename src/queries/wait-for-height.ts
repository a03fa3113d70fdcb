// `min_height` and `min_block_hash`: waits until every required worker covers a block, so that a client reads what it
// wrote. The bound is 30 s.

import { containsHeight } from "../domain/range-set.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { readScope } from "./answer-scope.js"
import { RequestError } from "./request-error.js"
import type { ApiResource } from "./resource.js"
import type { ServedChain } from "./served-chain.js"
import { bytesOf } from "./value-schemas.js"

export interface WaitRequest {
  readonly minHeight: number | undefined
  readonly minBlockHash: string | undefined
  readonly signal: AbortSignal
  readonly waitMs?: number
}

const pollMs = 100

export async function waitForHeight(
  chain: ServedChain,
  resource: Pick<ApiResource, "store" | "workers">,
  { minHeight, minBlockHash, signal, waitMs = 30_000 }: WaitRequest,
): Promise<void> {
  if (minHeight === undefined && minBlockHash === undefined) return
  const until = chain.clock.monotonic() + waitMs
  for (;;) {
    const height = minBlockHash === undefined ? minHeight! : await heightOf(chain, minBlockHash)
    const scope = await chain.readPrepared(resource.store, (tx) => readScope(tx, resource))
    if (scope && height !== undefined && containsHeight(scope.done, Math.max(height, minHeight ?? 0))) return
    if (chain.clock.monotonic() >= until || signal.aborted) {
      const watermark = scope?.watermark ?? null
      throw new RequestError("NOT_REACHED", "the block is not covered yet by every required worker", {
        data_watermark: watermark === null ? null : String(watermark),
        required_workers: resource.workers,
      })
    }
    await chain.clock.sleep(pollMs, signal)
  }
}

async function heightOf(chain: ServedChain, hash: string): Promise<number | undefined> {
  const { rows } = await chain.readPrepared("raw", (tx) =>
    tx.query<{ height: string }>("select height from raw.block_lookup where id = $1", [bytesOf(hash)]),
  )
  return rows[0] && heightFrom(rows[0].height)
}
