// What the head follower asks when it takes over, and when anything suggests that what is stored is no longer the chain.

import type { FetchOptions } from "../source/block-source.js"

export interface ReorgGuard {
  check(fetch: FetchOptions): Promise<ReorgVerdict>
}

/**
 * none: all that is stored is on the chain. partly: nothing differs, but no provider has the highest blocks now. waiting:
 * not sure yet. rolled-back: done. halted: a person has to decide.
 */
export type ReorgVerdict = "none" | "partly" | "waiting" | "rolled-back" | "halted"
