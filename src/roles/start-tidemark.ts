// Starts the whole process: embedded database, demo chain, HTTP server and every configured chain. Stops them in the
// opposite order. Everything is constructed here and in startChain.

import { hostname } from "node:os"
import { join } from "node:path"
import { startHttpServer } from "../api/http-server.js"
import { DiskGuard } from "../platform/disk-guard.js"
import type { ChainConfig, Config } from "../platform/load-config.js"
import { createMetrics } from "../platform/metrics.js"
import type { RuntimeDeps } from "../platform/service.js"
import { type EmbeddedPostgres, startEmbedded } from "../postgres/embedded/start-embedded.js"
import { readUrls } from "./chain-databases.js"
import { CompletionWatch } from "./completion-watch.js"
import type { Role } from "./role.js"
import { startServing } from "./serve-threads.js"
import { type RunningChain, startChain } from "./start-chain.js"
import { startServedChain } from "./start-served-chain.js"

export interface StartOptions {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly version: string
  readonly exitWhenDone: boolean
  readonly signal: AbortSignal
  /** Reports the stage of the start. */
  readonly onStage: (text: string) => void
  /** --exit-when-done: everything asked for is stored. */
  readonly onDone: () => void
}

export interface Tidemark {
  readonly chains: readonly RunningChain[]
  readonly httpUrl: string
  stop(): Promise<void>
}

export async function startTidemark(deps: RuntimeDeps, options: StartOptions): Promise<Tidemark> {
  const { clock, logger, random } = deps
  const { config, roles, signal } = options
  const settings = config.process
  const holder = `${hostname()}:${process.pid}`
  const processId = random.uuid()
  // Run in the opposite order, also when the start fails half way.
  const down: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const step of down.splice(0).reverse()) await step()
  }
  try {
    // First, so that a second start in the same directory fails with the name of the first.
    const embedded = await startEmbeddedIfNeeded(deps, options)
    if (embedded) down.push(() => embedded.stop())
    const metrics = createMetrics()
    const chains: RunningChain[] = []
    const serving = roles.includes("serve")
      ? await startServing({ settings, version: options.version, metrics, chains: () => chains, clock, logger })
      : undefined
    const http =
      serving ??
      (await startHttpServer({
        ...{ host: settings.host, port: settings.port, anyPort: true, chains: () => chains, clock, logger },
        metrics: () => metrics.registry.metrics(),
        readyLagBlocks: settings.readyLagBlocks,
      }))
    down.push(() => http.stop())
    for (const configured of config.chains) {
      const servesOnly = roles.every((role) => role === "serve")
      const chain = servesOnly ? configured : await withDemoChain(deps, { chain: configured, options, down })
      const running = await (servesOnly ? startServedChain : startChain)(
        { ...deps, embedded, metrics },
        {
          chain,
          settings,
          roles,
          holder,
          processId,
          version: options.version,
          httpUrl: http.url,
          configFile: config.file,
          signal,
        },
      )
      chains.push(running)
      serving?.serve({ name: running.name, ...readUrls(chain, running.databases) })
      down.push(() => running.stop())
    }
    if (embedded) down.push(guardDisk(deps, { embedded, config, chains }))
    if (options.exitWhenDone) down.push(watchCompletion(deps, { config, chains, onDone: options.onDone }))
    return { chains, httpUrl: http.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startEmbeddedIfNeeded(
  { clock, random, logger }: RuntimeDeps,
  { config, onStage }: StartOptions,
): Promise<EmbeddedPostgres | undefined> {
  if (config.chains.every(({ dbRawUrl }) => dbRawUrl)) return undefined
  onStage("starting the embedded Postgres")
  return startEmbedded({
    dataDir: config.process.dataDir,
    clock,
    random,
    logger: logger.child({ service: "postgres" }),
  })
}

async function withDemoChain(
  { clock, logger }: RuntimeDeps,
  { chain, options, down }: { chain: ChainConfig; options: StartOptions; down: (() => Promise<void>)[] },
): Promise<ChainConfig> {
  if (!chain.demo) return chain
  options.onStage("starting the demo chain")
  // Imported only for the demo, which alone signs and encodes transactions.
  const { startDemoChain } = await import("../demo/start-demo-chain.js")
  const demo = await startDemoChain({
    directory: join(options.config.process.dataDir, "demo"),
    clock,
    logger: logger.child({ service: "demo-chain" }),
    signal: options.signal,
    onProgress: ({ made, total }) => options.onStage(`creating the demo chain's history: ${made}/${total} blocks`),
  })
  down.push(() => demo.stop())
  return { ...chain, rpcUrls: [demo.httpUrl], wsUrls: [demo.wsUrl] }
}

function guardDisk(
  { clock, logger }: RuntimeDeps,
  { embedded, config, chains }: { embedded: EmbeddedPostgres; config: Config; chains: readonly RunningChain[] },
): () => Promise<void> {
  const guard = new DiskGuard({
    directory: embedded.dataDir,
    minFreeBytes: config.process.minFreeDisk,
    clock,
    logger,
    onChange: (low) => {
      for (const chain of chains) chain.pause(low ? "disk" : null)
    },
  })
  guard.start()
  return () => guard.stop()
}

function watchCompletion(
  { clock, logger }: RuntimeDeps,
  { config, chains, onDone }: { config: Config; chains: readonly RunningChain[]; onDone: () => void },
): () => Promise<void> {
  const waiting = new Set(chains)
  const watches = chains.map((chain, i) => {
    const endBlock = config.chains[i]!.endBlock!
    const watch = new CompletionWatch({
      database: chain.database,
      app: chain.app,
      derived: chain.derived,
      endBlock,
      clock,
      logger,
      onDone: () => {
        if (waiting.delete(chain) && waiting.size === 0) onDone()
      },
    })
    watch.start()
    return watch
  })
  return async () => {
    await Promise.all(watches.map((watch) => watch.stop()))
  }
}
