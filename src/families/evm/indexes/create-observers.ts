// The services that observe contracts: their metadata and their code.

import type { Service } from "../../../platform/service.js"
import type { ObserverDeps, ObserversOptions } from "../../chain-family.js"
import { createChainSource } from "../source/evm-source.js"
import { codeQuestion } from "./contract-code/code-question.js"
import { metaWorker } from "./meta/meta-worker.js"
import type { ContractNode } from "./observing/ask-at-block.js"
import { ContractObserver } from "./observing/contract-observer.js"
import type { Outcome, Question } from "./observing/question.js"
import { metadataQuestion } from "./token-metadata/metadata-question.js"
import { metadataWorker } from "./token-metadata/metadata-worker.js"

const observeMs = 2_000
const observedBytesInFlight = 8 << 20
/** Bounds the cost of a contract, whatever it answers. */
const observedLimits = { rpcTimeoutMs: 10_000, rpcMaxResponseBytes: 16 << 20 }

export function createObservers(
  deps: ObserverDeps,
  { chain, chainId, limits, runnable, holder, onCalls }: ObserversOptions,
): Service[] {
  const observe = <Answer extends Outcome>(
    worker: string,
    questionFor: (node: ContractNode) => Question<Answer>,
  ): Service[] => {
    if (!runnable.includes(worker)) return []
    // A separate source: contracts that misbehave must not open the circuit breaker of the blocks.
    const node = createChainSource(deps, {
      chain: { ...chain, ...observedLimits },
      chainId,
      limits,
      bytesInFlight: observedBytesInFlight,
    })
    return [
      new ContractObserver({
        ...deps,
        question: questionFor(node),
        database: deps.app,
        observedBlock: () => {
          // Once in a run, which is all that this is for.
          onCalls(node.takeCounters())
          return deps.coveredHead(worker)
        },
        holder,
        intervalMs: observeMs,
      }),
    ]
  }
  return [...observe(metadataWorker.name, metadataQuestion), ...observe(metaWorker.name, codeQuestion)]
}
