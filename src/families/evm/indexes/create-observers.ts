// The services that ask a node about contracts: their metadata and their code.

import type { Service } from "../../../platform/service.js"
import type { ObserverDeps, ObserversOptions } from "../../chain-family.js"
import { createChainSource } from "../source/create-chain-source.js"
import { CodeObserver } from "./contract-code/code-observer.js"
import { metaWorker } from "./meta/meta-worker.js"
import type { ObserverOptions } from "./observing/observer-options.js"
import { MetadataObserver } from "./token-metadata/metadata-observer.js"
import { metadataWorker } from "./token-metadata/metadata-worker.js"

const observeMs = 2_000
const observedBytesInFlight = 8 << 20
/** What one contract can cost, whatever it answers. */
const observedLimits = { rpcTimeoutMs: 10_000, rpcMaxResponseBytes: 16 << 20 }

export function createObservers(
  deps: ObserverDeps,
  { chain, chainId, limits, runnable }: ObserversOptions,
): Service[] {
  const observing = (worker: string): ObserverOptions => ({
    ...deps,
    database: deps.app,
    // A source of its own: contracts that misbehave must not trip the circuit that blocks come through.
    node: createChainSource(deps, {
      chain: { ...chain, ...observedLimits },
      chainId,
      limits,
      bytesInFlight: observedBytesInFlight,
    }),
    observedBlock: () => deps.coveredHead(worker),
    intervalMs: observeMs,
  })
  return [
    ...(runnable.includes(metadataWorker.name) ? [new MetadataObserver(observing(metadataWorker.name))] : []),
    ...(runnable.includes(metaWorker.name) ? [new CodeObserver(observing(metaWorker.name))] : []),
  ]
}
