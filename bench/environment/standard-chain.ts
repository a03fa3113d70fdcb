// The chain most benchmarks read: 50 transactions and 60 logs a block, from disk through a cache that holds all of it.

import { type SpawnChainServerOptions, spawnChainServer } from "../../test/support/chain-server.js"
import { onStop } from "./stop-all.js"

const datasetBlocks = 20_000

export interface BenchChain {
  readonly url: string
  stop(): Promise<void>
}

export async function startChain(options: SpawnChainServerOptions): Promise<BenchChain> {
  const chain = await spawnChainServer(options)
  const forget = onStop(() => chain.stop())
  return {
    url: chain.url,
    stop: async () => {
      forget()
      await chain.stop()
    },
  }
}

export function startStandardChain({ blocks }: { blocks: number }): Promise<BenchChain> {
  return startChain({ blocks: Math.max(datasetBlocks, blocks), disk: true, cacheMb: 3_000 })
}
