// The chain behind a plain `npm start`: a local node with a busy past, and traffic from then on. A second start goes
// on with the same chain.

import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { type AnvilOrigin, startAnvil } from "./anvil.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { demoChainId } from "./demo-accounts.js"
import { DemoTraffic } from "./traffic.js"

export interface DemoChainOptions {
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  readonly port?: number
  readonly seed?: string
  readonly historyBlocks?: number
  readonly blockTimeMs?: number
  /** Seconds since 1970 of the first block, for a chain that repeats to the last hash. Default: so that history ends now. */
  readonly genesisTimestamp?: number
  /** Breaks off the making of history; the chain then is returned as it is, to be stopped. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly made: number; readonly total: number }) => void
}

export interface DemoChain {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly chainId: typeof demoChainId
  /** This start made the chain anew: whatever was indexed before is of another chain. */
  readonly fresh: boolean
  /** "recovered": the node had died, and its last blocks may be gone. */
  readonly origin: AnvilOrigin
  /** Ends the traffic, then the node, which saves its blocks. */
  stop(): Promise<void>
}

export async function startDemoChain(options: DemoChainOptions): Promise<DemoChain> {
  const {
    directory,
    clock,
    logger,
    port,
    seed = "tidemark",
    historyBlocks = 300,
    blockTimeMs = 1000,
  } = options
  const genesisTimestamp = options.genesisTimestamp ?? Math.floor(clock.now() / 1000) - historyBlocks
  const anvil = await startAnvil({ directory, clock, logger, port, blockTimeMs, genesisTimestamp })
  const rpc = new AnvilRpc(anvil.httpUrl)
  const traffic = new DemoTraffic({
    ...{ rpc, clock, logger, seed, blockTimeMs, historyBlocks },
    onFailure: async () => {
      if (await anvil.isRunning()) return
      logger.error(
        {},
        "demo chain: the node died; bringing it back from its last saved state, some blocks are lost",
      )
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
  return {
    httpUrl: anvil.httpUrl,
    wsUrl: anvil.wsUrl,
    chainId: demoChainId,
    fresh: anvil.origin === "fresh",
    origin: anvil.origin,
    stop,
  }
}
