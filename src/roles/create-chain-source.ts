// A chain's source and head watch from its config, for the main thread and for each ingest thread.

import { createEvmSource, type EvmSource } from "../families/evm/source/evm-source.js"
import type { Clock } from "../platform/clock.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"

export interface ChainSourceDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export function createChainSource(
  deps: ChainSourceDeps,
  {
    chain,
    chainId,
    limits,
    bytesInFlight,
  }: {
    chain: ChainConfig
    /** Undefined before the node was asked for the first time. */
    chainId: string | undefined
    limits: readonly SharedLimitHandle[]
    bytesInFlight: number
  },
): EvmSource {
  return createEvmSource(deps, {
    providers: chain.rpcUrls.map((url, i) => ({ url, limit: limits[i] })),
    expectedChainId: chainId,
    checks: chain.checks,
    verify: chain.verify,
    maxBatchBlocks: chain.rpcBatchBlocks,
    timeoutMs: chain.rpcTimeoutMs,
    maxResponseBytes: chain.rpcMaxResponseBytes,
    bytesInFlight,
  })
}
