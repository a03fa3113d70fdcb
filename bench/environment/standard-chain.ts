// The chain most benchmarks read: 50 transactions and 60 logs a block, from disk through a cache that holds all of it.

import { type SpawnChainServerOptions, spawnChainServer } from "../../test/support/chain-server.js"
import { onStop } from "./stop-all.js"

const datasetBlocks = 20_000

export interface BenchChain {
  readonly url: string
  readonly wsUrl: string
  stop(): Promise<void>
}

export async function startChain(options: SpawnChainServerOptions): Promise<BenchChain> {
  const chain = await spawnChainServer(options)
  const forget = onStop(() => chain.stop())
  return {
    url: chain.url,
    wsUrl: chain.wsUrl,
    stop: async () => {
      forget()
      await chain.stop()
    },
  }
}

export function startStandardChain({ blocks }: { blocks: number }): Promise<BenchChain> {
  return startChain({ blocks: Math.max(datasetBlocks, blocks), disk: true, cacheMb: 3_000 })
}

/** More than one process stores and derives on two cores while a block is made. */
const historyPerHead = 45
const finality = 32

/** A chain that grows, with more history below than can be filled while it does. Long ones are made once, which takes a minute or two. */
export function startLiveChain({ heads, blockMs }: { heads: number; blockMs: number }): Promise<BenchChain> {
  const blocks = Math.ceil((heads * (1 + historyPerHead)) / datasetBlocks) * datasetBlocks
  return startChain({ blocks, startHead: blocks - heads, blockMs, finality, disk: true, cacheMb: 512 })
}
