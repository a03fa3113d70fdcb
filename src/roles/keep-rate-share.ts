// This process's share of RPC_MAX_RPS: the same for each provider, and for all threads.

import { RateShareKeeper, type RateShareKeeperOptions } from "../coordination/rate-share-keeper.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import { setShare, takeUse } from "../source/shared-rate.js"

export interface KeepRateShareOptions extends Omit<RateShareKeeperOptions, "apply" | "takeUse"> {
  readonly limits: readonly SharedLimitHandle[]
}

export function keepRateShare({ limits, ...options }: KeepRateShareOptions): RateShareKeeper {
  return new RateShareKeeper({
    ...options,
    takeUse: () => {
      const uses = limits.map(({ memory }) => takeUse(memory))
      return { calls: Math.max(...uses.map(({ calls }) => calls)), waited: uses.some(({ waited }) => waited) }
    },
    apply: (callsPerSecond) => {
      for (const { memory } of limits) setShare(memory, callsPerSecond)
    },
  })
}
