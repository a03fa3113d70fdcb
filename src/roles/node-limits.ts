// The limits of a chain's nodes in this process, by RPC URL. They are shared by all threads, the serving one among them.

import { postgresRateShares } from "../coordination/postgres/postgres-rate-shares.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { RuntimeDeps } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { Database } from "../postgres/database.js"
import { createSharedLimit, type SharedLimitHandle } from "../source/shared-limit.js"
import { setShare, shareOf } from "../source/shared-rate.js"
import type { RateState } from "../status/process-state.js"
import { keepRateShare } from "./keep-rate-share.js"

/** One call a second until the process holds its share of the limit. */
export function createNodeLimits(
  chain: Pick<ChainConfig, "rpcMaxInFlight" | "rpcMaxRps" | "rpcUrls">,
): readonly SharedLimitHandle[] {
  const bounds = { maxRps: chain.rpcMaxRps ? 1 : undefined, maxInFlight: chain.rpcMaxInFlight || undefined }
  return chain.rpcUrls.map(() => createSharedLimit(bounds))
}

/** What RPC_MAX_RPS allows all processes together, and this one of it; null without a limit. */
export function rateOf({
  chain: { rpcMaxRps: limit },
  limits: [first],
}: {
  readonly chain: Pick<ChainConfig, "rpcMaxRps">
  readonly limits: readonly SharedLimitHandle[]
}): RateState | null {
  return limit > 0 && first ? { limit, share: Math.min(limit, shareOf(first.memory)) } : null
}

export interface ServedNodeLimits {
  readonly limits: readonly SharedLimitHandle[]
  stop(): Promise<void>
}

export interface ServedNodeLimitsOptions {
  readonly chain: Pick<ChainConfig, "rpcMaxInFlight" | "rpcMaxRps" | "rpcUrls">
  readonly settings: Pick<ProcessSettings, "apiNodeMethods">
  readonly processId: string
  readonly name: string
  /** Undefined where the process may only read. */
  readonly rawUrl: string | undefined
}

/** What a process that may only read uses of the limit: it can hold no share, so the others do not know of it. */
const readOnlyPart = 1 / 20

/** For a process that only serves: what its clients ask of the nodes counts in RPC_MAX_RPS too. */
export function limitServedNodes(
  { clock, logger }: RuntimeDeps,
  { chain, settings, processId, name, rawUrl }: ServedNodeLimitsOptions,
): ServedNodeLimits {
  const limits = createNodeLimits(chain)
  const none = { limits, stop: async () => undefined }
  if (chain.rpcMaxRps === 0 || limits.length === 0 || settings.apiNodeMethods === undefined) return none
  if (rawUrl === undefined) {
    for (const { memory } of limits) setShare(memory, chain.rpcMaxRps * readOnlyPart)
    return none
  }
  const raw = new Database({ url: rawUrl, applicationName: `tidemark ${name} rate share`, maxConnections: 1 })
  const keeper = keepRateShare({
    ...{ clock, logger, processId, limits, limit: chain.rpcMaxRps, shares: postgresRateShares(raw) },
  })
  keeper.start()
  return {
    limits,
    stop: async () => {
      await keeper.stop()
      await raw.end()
    },
  }
}
