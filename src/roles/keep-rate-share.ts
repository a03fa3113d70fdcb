// This process's share of RPC_MAX_RPS, where it is set: the same for each provider, and for all threads.

import { postgresRateShares } from "../coordination/postgres/postgres-rate-shares.js"
import { RateShareKeeper } from "../coordination/rate-share-keeper.js"
import { setShare, takeUse } from "../source/shared-rate.js"
import type { OpenChain } from "./open-chain.js"

type Deps = Pick<OpenChain, "chain" | "clock" | "limits" | "logger" | "processId" | "raw" | "roles">

export function keepRateShare({
  chain,
  clock,
  limits,
  logger,
  processId,
  raw,
  roles,
}: Deps): RateShareKeeper | undefined {
  if (chain.rpcMaxRps === 0 || !(roles.includes("ingest") || roles.includes("work"))) return undefined
  return new RateShareKeeper({
    ...{ clock, logger, processId, limit: chain.rpcMaxRps, shares: postgresRateShares(raw) },
    takeUse: () => {
      const uses = limits.map(({ memory }) => takeUse(memory))
      return { calls: Math.max(...uses.map(({ calls }) => calls)), waited: uses.some(({ waited }) => waited) }
    },
    apply: (callsPerSecond) => {
      for (const { memory } of limits) setShare(memory, callsPerSecond)
    },
  })
}
