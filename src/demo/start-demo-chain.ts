// The chain of a plain `npm start`: a local node with history and continuous traffic. A second start continues the
// same chain.

import type { ServiceDeps } from "../platform/service.js"
import { type AnvilOrigin, startAnvil } from "./anvil.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { DemoTraffic } from "./traffic.js"

export interface DemoChainOptions extends ServiceDeps {
  readonly directory: string
  readonly port?: number
  readonly seed?: string
  readonly historyBlocks?: number
  readonly blockTimeMs?: number
  /** Seconds since 1970 of the first block, for reproducible hashes. By default history ends now. */
  readonly genesisTimestamp?: number
  /** Ends the creation of history; the chain is then returned as it is, to be stopped. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly made: number; readonly total: number }) => void
}

export interface DemoChain {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly origin: AnvilOrigin
  /** Stops the traffic, then the node, which saves its blocks. */
  stop(): Promise<void>
}

export async function startDemoChain(options: DemoChainOptions): Promise<DemoChain> {
  const { directory, clock, logger, port } = options
  const { seed = "tidemark", historyBlocks = 300, blockTimeMs = 1000 } = options
  const genesisTimestamp = options.genesisTimestamp ?? Math.floor(clock.now() / 1000) - historyBlocks
  const anvil = await startAnvil({ directory, clock, logger, port, blockTimeMs, genesisTimestamp })
  const rpc = new AnvilRpc(anvil.httpUrl)
  const traffic = new DemoTraffic({
    ...{ rpc, clock, logger, seed, blockTimeMs, historyBlocks },
    onFailure: async () => {
      if (await anvil.isRunning()) return
      logger.error({}, "demo chain: the node died; restarting it from its last saved state may lose blocks")
      await anvil.restart()
    },
  })
  const stop = async () => {
    await traffic.stop()
    await rpc.close()
    await anvil.stop()
  }
  const breakOff = () => void traffic.stop()
  options.signal?.addEventListener("abort", breakOff, { once: true })
  if (options.signal?.aborted) breakOff()
  try {
    if (anvil.phase === "history") {
      await traffic.makeHistory((made) => options.onProgress?.({ made, total: historyBlocks }))
      if (!options.signal?.aborted) await anvil.goLive()
    }
  } catch (error) {
    await stop()
    throw error
  } finally {
    options.signal?.removeEventListener("abort", breakOff)
  }
  if (!options.signal?.aborted) traffic.start()
  return { httpUrl: anvil.httpUrl, wsUrl: anvil.wsUrl, origin: anvil.origin, stop }
}
