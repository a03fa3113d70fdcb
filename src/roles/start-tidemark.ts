// Starts the whole process: embedded database, HTTP server, then every configured chain, the demo's with its node. Stops them
// in the opposite order. Everything is constructed here and in startChain.

import { hostname } from "node:os"
import { join } from "node:path"
import { type Access, noAccess } from "../api/access.js"
import type { StartingChain } from "../api/chain-view.js"
import type { HttpServerOptions, RunningHttpServer } from "../api/http-server.js"
import { DiskGuard } from "../platform/disk-guard.js"
import type { ChainConfig, Config } from "../platform/load-config.js"
import { createHttpMetrics, createMetrics } from "../platform/metrics.js"
import type { RuntimeDeps } from "../platform/service.js"
import { type EmbeddedPostgres, startEmbedded } from "../postgres/embedded/start-embedded.js"
import { demoAdminToken } from "./admin-token.js"
import { isReadOnly, readUrls } from "./chain-databases.js"
import { CompletionWatch } from "./completion-watch.js"
import { resolveAccess } from "./resolve-access.js"
import type { Role } from "./role.js"
import { startServing } from "./serve-threads.js"
import { type RunningChain, startChain } from "./start-chain.js"
import { type ChainStarts, startChains } from "./start-chains.js"
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
  /** Those that run by now. */
  chains(): readonly RunningChain[]
  readonly httpUrl: string
  /** Resolves when every chain runs; rejects when one cannot. */
  readonly started: Promise<void>
  stop(): Promise<void>
}

/** Resolves as soon as the HTTP server answers; the chains start side by side from then on. */
export async function startTidemark(deps: RuntimeDeps, options: StartOptions): Promise<Tidemark> {
  const { clock, logger, random } = deps
  const { config, roles } = options
  const settings = config.process
  const holder = `${hostname()}:${process.pid}`
  const processId = random.uuid()
  const access = roles.includes("serve") ? accessOf(deps, config) : noAccess
  const servesOnly = roles.every((role) => role === "serve")
  const writes = access.adminToken !== undefined && !(servesOnly && config.chains.every(isReadOnly))
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  // Run in the opposite order, also when the start fails half way.
  const down: (() => Promise<void>)[] = []
  let starts: ChainStarts | undefined
  const chains = (): readonly RunningChain[] => starts?.running() ?? []
  const starting = (): readonly StartingChain[] => starts?.starting() ?? []
  const stop = async (): Promise<void> => {
    stopping.abort()
    await starts?.settled()
    for (const step of down.splice(0).reverse()) await step()
  }
  try {
    // First, so that a second start in the same directory fails with the name of the first.
    const embedded = await startEmbeddedIfNeeded(deps, { ...options, servesOnly })
    if (embedded) down.push(() => embedded.stop())
    const metrics = createMetrics()
    const serving = roles.includes("serve")
      ? await startServing({
          settings,
          access,
          writes,
          version: options.version,
          metrics,
          chains,
          starting,
          clock,
          logger,
        })
      : undefined
    const http =
      serving ??
      (await startStatusServer({
        ...{ host: settings.host, port: settings.port, anyPort: true, chains, clock, logger },
        starting: async () => starting(),
        metrics: () => metrics.registry.metrics(),
        httpMetrics: createHttpMetrics(metrics.registry),
        readyLagBlocks: settings.readyLagBlocks,
      }))
    down.push(() => http.stop())
    const pausable = new Set<RunningChain>()
    const guard = embedded && guardDisk(deps, { embedded, config, chains: pausable })
    if (guard) down.push(() => guard.stop())
    const complete = completion(config.chains.length, options.onDone)
    const about = { version: options.version, httpUrl: http.url, configFile: config.file }
    const started = new Map<ChainConfig, ChainConfig>()
    starts = startChains({
      chains: config.chains,
      start: async (configured, onWaiting) => {
        const chain = servesOnly
          ? configured
          : await withDemoChain(deps, { chain: configured, options: { ...options, signal }, down })
        started.set(configured, chain)
        const common = { settings, roles, holder, processId, signal, onWaiting, ...about }
        return (servesOnly ? startServedChain : startChain)({ ...deps, embedded, metrics }, { chain, ...common })
      },
      onRunning: (running, chain) => {
        const { name, databases, limits } = running
        const writable = writes && !(servesOnly && isReadOnly(chain)) ? databases : undefined
        const urls = readUrls(chain, databases)
        const { proxy, rpcHeaders, rpcUrls, abis } = started.get(chain) ?? chain
        serving?.serve({ name, ...urls, writable, nodes: { proxy, rpcHeaders, rpcUrls, limits }, abis })
        pausable.add(running)
        down.push(() => {
          pausable.delete(running)
          return running.stop()
        })
        if (guard?.low) running.pause("disk")
        if (options.exitWhenDone) down.push(watchCompletion(deps, { chain, running, onDone: complete }))
      },
    })
    return { chains, httpUrl: http.url, started: starts.started, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The demo has an admin token in any case. */
function accessOf({ random, logger }: RuntimeDeps, { chains, process: settings }: Config): Access {
  const access = resolveAccess(settings)
  if (access.adminToken !== undefined || !chains.some(({ demo }) => demo)) return access
  const { token, file } = demoAdminToken({ random }, settings.dataDir)
  logger.info({ file }, "the admin token of the demo is in this file")
  return { ...access, adminToken: token }
}

/** Imported only without the role `serve`, whose thread has a server of its own. */
async function startStatusServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const { startHttpServer } = await import("../api/http-server.js")
  return startHttpServer(options)
}

/** Calls `onDone` after as many calls as there are chains. */
function completion(chains: number, onDone: () => void): () => void {
  let left = chains
  return () => {
    if (--left === 0) onDone()
  }
}

async function startEmbeddedIfNeeded(
  { clock, random, logger }: RuntimeDeps,
  { config, onStage, servesOnly }: StartOptions & { readonly servesOnly: boolean },
): Promise<EmbeddedPostgres | undefined> {
  if (config.chains.every((chain) => chain.dbRawUrl || (servesOnly && isReadOnly(chain)))) return undefined
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
  const { demoAbis } = await import("../demo/demo-abis.js")
  const demo = await startDemoChain({
    directory: join(options.config.process.dataDir, "demo"),
    clock,
    logger: logger.child({ service: "demo-chain" }),
    signal: options.signal,
    onProgress: ({ made, total }) => options.onStage(`creating the demo chain's history: ${made}/${total} blocks`),
  })
  down.push(() => demo.stop())
  return { ...chain, rpcUrls: [demo.httpUrl], wsUrls: [demo.wsUrl], abis: [...demoAbis(), ...chain.abis] }
}

function guardDisk(
  { clock, logger }: RuntimeDeps,
  { embedded, config, chains }: { embedded: EmbeddedPostgres; config: Config; chains: ReadonlySet<RunningChain> },
): DiskGuard {
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
  return guard
}

function watchCompletion(
  { clock, logger }: RuntimeDeps,
  { chain, running, onDone }: { chain: ChainConfig; running: RunningChain; onDone: () => void },
): () => Promise<void> {
  const { database, app, derived } = running
  let isDone = false
  const watch = new CompletionWatch({
    ...{ database, app, derived, clock, logger },
    endBlock: chain.endBlock!,
    onDone: () => {
      if (!isDone) onDone()
      isDone = true
    },
  })
  watch.start()
  return () => watch.stop()
}
