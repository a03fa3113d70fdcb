// A node that lies, stutters and breaks off, for as long as it takes to index a whole chain from it.

import type { FaultKind, FaultName, FaultRates, HostileRpc } from "../../test/support/hostile-rpc.js"
import { faultKinds, faultNames, lies, noise, noticedOnlyByRoots, outages } from "../../test/support/hostile-rpc.js"
import type { Stage } from "./stage.js"

/** How much is checked: the setting VERIFY. */
export type VerifyLevel = "standard" | "roots"

/**
 * How often each fault of a kind happens. Outages put the only node aside for a while, so more of them make fewer answers a minute:
 * with 1.5 % of them two stores of 200 blocks were not both filled within three minutes, on a busy machine. Lies are asked for again at
 * once; noise holds nobody up.
 */
export const shares: Readonly<Record<FaultKind, number>> = { lie: 0.02, outage: 0.005, noise: 0.05 }

/** Every fault of the catalogue that this level can notice: with roots, all there are. */
export const everyFault = (verify: VerifyLevel): FaultRates =>
  Object.fromEntries(
    faultNames
      .filter((name) => verify === "roots" || !noticedOnlyByRoots.includes(name))
      .map((name) => [name, shares[faultKinds[name]]]),
  )

/** A store that knows its chain: without it a node that lies about itself at the very first question would be believed. */
export async function pinHonestly(stage: Stage, node: HostileRpc): Promise<void> {
  node.setFaults({})
  await stage.runToEnd(0)
}

/** How often each fault was served; for sums over many nodes. */
export type FaultCounts = Record<FaultName, number>

export const noFaults = (): FaultCounts => Object.fromEntries(faultNames.map((name) => [name, 0])) as FaultCounts

export interface LieFacts {
  readonly served: number
  readonly lies: number
  /** Of the lies, those that the default checks cannot notice. */
  readonly hidden: number
  readonly noise: number
  readonly outages: number
  /** Faults that were never served: they proved nothing. */
  readonly missing: readonly FaultName[]
}

export function countFaults(counts: Readonly<FaultCounts>, expected: FaultRates): LieFacts {
  const sum = (names: readonly FaultName[]) => names.reduce((total, name) => total + counts[name], 0)
  return {
    served: sum(faultNames),
    lies: sum(lies),
    hidden: sum(noticedOnlyByRoots),
    noise: sum(noise),
    outages: sum(outages),
    missing: faultNames.filter((name) => (expected[name] ?? 0) > 0 && counts[name] === 0),
  }
}
