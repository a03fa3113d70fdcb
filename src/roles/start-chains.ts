// Starts chains side by side: one that waits for its node or its database keeps no other from starting. A fault that a person
// has to fix ends the start of all.

import type { StartingChain } from "../api/chain-view.js"
import type { ChainConfig } from "../platform/load-config.js"
import { providerLabels } from "../source/provider-url.js"
import type { RunningChain } from "./start-chain.js"

export interface ChainStarts {
  /** Running ones, in the order of the config. */
  running(): readonly RunningChain[]
  starting(): readonly StartingChain[]
  /** Resolves when every chain runs; rejects with the first fault. */
  readonly started: Promise<void>
  /** Resolves when no start is in progress any more. */
  settled(): Promise<void>
}

export interface StartChainsOptions {
  readonly chains: readonly ChainConfig[]
  readonly start: (chain: ChainConfig, onWaiting: (reason: string | undefined) => void) => Promise<RunningChain>
  readonly onRunning: (running: RunningChain, chain: ChainConfig) => void
}

export function startChains({ chains, start, onRunning }: StartChainsOptions): ChainStarts {
  const entries = chains.map((chain) => ({
    chain,
    reason: "starting",
    running: undefined as RunningChain | undefined,
  }))
  const starts = entries.map(async (entry) => {
    const running = await start(entry.chain, (reason) => {
      entry.reason = reason ?? "starting"
    })
    entry.running = running
    onRunning(running, entry.chain)
  })
  const started = Promise.all(starts).then(() => undefined)
  // The caller may look at it later, or stop before.
  started.catch(() => undefined)
  return {
    running: () => entries.flatMap(({ running }) => running ?? []),
    starting: () =>
      entries.filter(({ running }) => !running).map(({ chain, reason }) => ({ name: nameOf(chain), reason })),
    started,
    settled: async () => {
      await Promise.allSettled(starts)
    },
  }
}

/** Until its node says which chain it is, a chain without a name is known by its node. */
const nameOf = ({ name, rpcUrls }: ChainConfig): string => name ?? providerLabels(rpcUrls)[0] ?? "chain"
