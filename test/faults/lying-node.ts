// A node that lies, stutters and breaks off, for as long as it takes to index a whole chain from it.

import type { FaultName, FaultRates, HostileRpc } from "../support/hostile-rpc.js"
import { faultNames, lies, noise, outages } from "../support/hostile-rpc.js"
import type { Stage } from "./stage.js"

/** The same rate for every fault there is. */
export const everyFault = (rate: number): FaultRates =>
  Object.fromEntries(faultNames.map((name) => [name, rate]))

/** A store that knows its chain: without it a node that lies about itself at the very first question would be believed. */
export async function pinHonestly(stage: Stage, node: HostileRpc): Promise<void> {
  node.setFaults({})
  await stage.runToEnd(0)
}

export interface LieFacts {
  readonly served: number
  readonly lies: number
  readonly noise: number
  readonly outages: number
  /** Faults that were never served: they proved nothing. */
  readonly missing: readonly FaultName[]
}

export function countFaults({ counts }: HostileRpc, expected: FaultRates): LieFacts {
  const sum = (names: readonly FaultName[]) => names.reduce((total, name) => total + counts[name], 0)
  return {
    served: sum(faultNames),
    lies: sum(lies),
    noise: sum(noise),
    outages: sum(outages),
    missing: faultNames.filter((name) => (expected[name] ?? 0) > 0 && counts[name] === 0),
  }
}
