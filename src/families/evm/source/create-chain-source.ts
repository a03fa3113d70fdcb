// A source from a chain's settings, for the main thread and for each thread that fetches.

import type { FamilyDeps, SourceOptions } from "../../chain-family.js"
import { createEvmSource, type EvmSource } from "./evm-source.js"

export function createChainSource(
  deps: FamilyDeps,
  { chain, chainId, limits = [], bytesInFlight }: SourceOptions,
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
