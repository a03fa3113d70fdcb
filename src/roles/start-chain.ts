// One chain in this process, from its config to its running services. The only place where a chain's parts are put together.

import { hostname } from "node:os"
import type { ChainView } from "../api/chain-view.js"
import { LeaseReaper } from "../coordination/lease-reaper.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import type { Clock } from "../platform/clock.js"
import { describeError, isIndexerError } from "../platform/errors.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import type { Metrics } from "../platform/metrics.js"
import type { Random } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { sqlStateOf } from "../postgres/postgres-error.js"
import { type PinOptions, pinChain, readChainName, readChainState } from "../raw/chain-state.js"
import { IndexBuilder } from "../raw/index-builder.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import { evmPartitionedTables, rawIngester } from "../raw/raw-tables.js"
import { RollbackFinisher } from "../rollback/rollback-finisher.js"
import type { ChainIdentity } from "../source/block-source.js"
import type { EvmSource } from "../source/evm/evm-source.js"
import { createSharedLimit, type SharedLimitHandle } from "../source/evm/shared-limit.js"
import type { ChainStatus } from "../status/chain-status.js"
import { exportStatus } from "../status/export-status.js"
import { ProcessReporter } from "../status/process-reporter.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { StallDoctor } from "../status/stall-doctor.js"
import { storeSizeReader } from "../status/store-size.js"
import { Reconciler } from "../verify/reconciler.js"
import { AnnouncedHeads } from "./announced-heads.js"
import {
  type ChainDatabases,
  dropEmbeddedDatabases,
  migrateChainDatabases,
  openChainDatabases,
} from "./chain-databases.js"
import { appPoolSize, planLanes, rawPoolSize } from "./connection-budget.js"
import { createChainSource } from "./create-chain-source.js"
import { demoChainContinues } from "./demo-continuity.js"
import { IngestActivity } from "./ingest-activity.js"
import type { IngestThreadInput } from "./ingest-messages.js"
import { IngestThreads } from "./ingest-threads.js"
import { loadWorkers } from "./load-workers.js"
import type { Role } from "./role.js"
import { prepareWork } from "./start-work.js"

export interface StartChainDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly metrics: Metrics
  readonly embedded: EmbeddedPostgres | undefined
}

export interface StartChainOptions {
  readonly chain: ChainConfig
  readonly settings: ProcessSettings
  readonly roles: readonly Role[]
  readonly holder: string
  readonly processId: string
  readonly version: string
  readonly httpUrl: string
  /** Where the user's own workers are declared. */
  readonly configFile: string | undefined
  readonly signal: AbortSignal
}

export interface RunningChain extends ChainView {
  readonly database: Database
  readonly app: Database
  /** Workers this process derives. */
  readonly derived: readonly string[]
  /** As the doctor saw it last. */
  lastStatus(): ChainStatus | undefined
  pause(reason: string | null): void
  stop(): Promise<void>
}

const partitionCheckMs = 30_000
const indexCheckMs = 10_000
/** How often to look whether tonight's run is due. */
const reconcileCheckMs = 60_000
const retryMs = 2_000

export async function startChain(deps: StartChainDeps, options: StartChainOptions): Promise<RunningChain> {
  const { clock, random, metrics } = deps
  const { chain, settings, roles, holder, signal } = options
  const limits = chain.rpcUrls.map(() => sharedLimit(chain))
  const asking = createChainSource(deps, { chain, chainId: undefined, limits, bytesInFlight: 1 << 20 })
  try {
    const patiently = patience(deps, signal)
    const identity = await patiently(() => asking.identity({ signal }), "waiting for the node")
    const name =
      chain.name ??
      (await patiently(() => storedName(chain), "waiting for the database")) ??
      `evm-${identity.chainId}`
    const logger = deps.logger.child({ chain: name })
    const databases = await patiently(
      () => prepareDatabases(deps, { chain, name, asking, signal, logger }),
      "waiting for the database",
    )
    await patiently(
      () => pin(databases, { name, identity, startBlock: chain.startBlock, logger }),
      "waiting for the database",
    )

    const database = new Database({
      url: databases.rawUrl,
      applicationName: `tidemark ${name} services`,
      maxConnections: rawPoolSize,
    })
    const app =
      databases.appUrl === databases.rawUrl
        ? database
        : new Database({
            url: databases.appUrl,
            applicationName: `tidemark ${name} services`,
            maxConnections: appPoolSize,
          })
    const leases = new PostgresLeaseStore({ executor: database, schema: "raw", random })
    await patiently(() => leases.register(rawIngester), "waiting for the database")
    const activity = new IngestActivity()
    const services: Service[] = []
    const registry = await loadWorkers({ configFile: options.configFile, chain })
    const derives = roles.includes("work") && registry.workers.length > 0
    const lanes = planLanes({ ...settings, ...chain, roles, derives })
    const announced = new AnnouncedHeads()
    const work = derives
      ? await patiently(
          () =>
            prepareWork(
              { raw: database, app, clock, random, logger, metrics },
              {
                chain,
                name,
                chainId: identity.chainId,
                holder,
                settings,
                registry,
                databases,
                limits,
                configFile: options.configFile,
                lanes: lanes.workLanes,
                onDerived: (range) => {
                  for (const seconds of announced.delays(range))
                    metrics.deriveDelay.observe({ chain: name }, seconds)
                },
              },
            ),
          "waiting for the database",
        )
      : undefined
    let threads: IngestThreads | undefined
    if (roles.includes("ingest")) {
      const keeper = new PartitionKeeper({
        database,
        tables: evmPartitionedTables,
        clock,
        logger,
        intervalMs: partitionCheckMs,
      })
      threads = new IngestThreads({
        inputs: threadInputs({
          chain,
          settings,
          holder,
          limits,
          name,
          identity,
          databases,
          lanes: lanes.ingestLanes,
        }),
        clock,
        logger,
        drainMs: settings.drainMs,
        onReport: (thread, report) => {
          activity.add(thread, report)
          metrics.addIngest(name, report)
        },
        onAnnounced: (head) => announced.add(head),
        onStored: () => work?.threads.wake(),
      })
      const indexes = new IndexBuilder({
        database,
        connect: () =>
          Connection.open({ url: databases.rawUrl, applicationName: `tidemark ${name} index builder` }),
        schema: "raw",
        tables: evmPartitionedTables,
        defer: chain.deferIndexes,
        liveFrom: async () => (await readChainState(database))?.liveFrom ?? null,
        clock,
        logger,
        intervalMs: indexCheckMs,
      })
      const finisher = new RollbackFinisher({ raw: database, app, random, clock, logger, intervalMs: 1_000 })
      // Before anything is stored: a database that went back must not be built upon.
      await patiently(() => finisher.runOnce(), "waiting for the database")
      services.push(keeper, indexes, finisher, threads)
    }
    if (roles.includes("ingest") || roles.includes("work")) {
      services.push(
        new LeaseReaper({
          leases,
          clock,
          logger,
          intervalMs: settings.reapIntervalMs,
          onReaped: (outcome) => metrics.addReaped(name, outcome),
        }),
      )
    }
    if (work) services.push(...work.services)
    if (roles.includes("maintain")) {
      const applicationName = `tidemark ${name} reconciler`
      services.push(
        new Reconciler({
          raw: database,
          app,
          connect: async () => {
            const raw = await Connection.open({ url: databases.rawUrl, applicationName })
            return { raw, app: await Connection.open({ url: databases.appUrl, applicationName }) }
          },
          holder,
          clock,
          logger,
          intervalMs: reconcileCheckMs,
          onChecked: (left) => {
            for (const [check, count] of left) metrics.gauges.damage.set({ chain: name, check }, count)
          },
        }),
      )
    }
    const storeSize = storeSizeReader({ raw: database, app }, { clock })
    const status = (): Promise<ChainStatus> => readChainStatus(database, { name, app, storeSize })
    const doctor = new StallDoctor({
      chain: name,
      read: status,
      clock,
      logger,
      stallAfterMs: settings.stallAfterMs,
      onLook: (diagnosis, seen) => exportStatus(metrics, { chain: name, diagnosis, status: seen }),
    })
    const reporter = new ProcessReporter({
      database,
      clock,
      logger,
      id: options.processId,
      host: hostname(),
      pid: process.pid,
      roles,
      version: options.version,
      httpUrl: () => options.httpUrl,
      state: () => ({
        ...activity.state(process.memoryUsage.rss()),
        workForMs: doctor.workForMs(),
        idleWorkers: work?.idle ?? [],
      }),
    })
    // First of all, so that the doctor does not find a chain that nobody indexes.
    await patiently(() => reporter.runOnce(), "waiting for the database")
    services.push(reporter, doctor)
    for (const service of services) service.start()
    return {
      name,
      database,
      app,
      derived: work?.runnable ?? [],
      status,
      diagnosis: () => doctor.diagnosis(),
      lastStatus: () => doctor.lastStatus(),
      pause: (reason) => {
        activity.paused = reason
        threads?.pause(reason)
        work?.threads.pause(reason)
      },
      stop: async () => {
        await Promise.all(services.map((service) => service.stop()))
        await database.end()
        await app.end()
      },
    }
  } finally {
    await asking.close()
  }
}

/** A process that joins by URL calls the chain what the first one called it. */
async function storedName({ dbRawUrl }: ChainConfig): Promise<string | undefined> {
  if (!dbRawUrl) return undefined
  const database = new Database({ url: dbRawUrl, applicationName: "tidemark start", maxConnections: 1 })
  try {
    return await readChainName(database)
  } catch (error) {
    // No such table: nobody has started here yet.
    if (sqlStateOf(error) === "42P01") return undefined
    throw error
  } finally {
    await database.end()
  }
}

function sharedLimit(chain: ChainConfig): SharedLimitHandle {
  return createSharedLimit({
    maxRps: chain.rpcMaxRps || undefined,
    maxInFlight: chain.rpcMaxInFlight || undefined,
  })
}

interface PrepareOptions {
  readonly chain: ChainConfig
  readonly name: string
  readonly asking: EvmSource
  readonly signal: AbortSignal
  readonly logger: Logger
}

async function prepareDatabases(
  { embedded }: StartChainDeps,
  { chain, name, asking, signal, logger }: PrepareOptions,
): Promise<ChainDatabases> {
  let databases = await openChainDatabases(embedded, { chain, name })
  let applied = await migrateChainDatabases(databases)
  if (chain.demo && embedded && !chain.dbRawUrl) {
    const database = new Database({
      url: databases.rawUrl,
      applicationName: "tidemark demo",
      maxConnections: 1,
    })
    const continues = await demoChainContinues({ database, source: asking }, { signal }).finally(() =>
      database.end(),
    )
    if (!continues) {
      logger.warn({}, "the demo chain's state was lost, so its databases are made anew")
      await dropEmbeddedDatabases(embedded, name)
      databases = await openChainDatabases(embedded, { chain, name })
      applied = await migrateChainDatabases(databases)
    }
  }
  if (applied.length > 0) logger.info({ migrations: applied }, "database schema brought up to date")
  return databases
}

async function pin(
  { rawUrl, appUrl }: ChainDatabases,
  { logger, ...options }: Omit<PinOptions, "schema"> & { logger: Logger },
): Promise<void> {
  for (const [schema, url] of [
    ["raw", rawUrl],
    ["app", appUrl],
  ] as const) {
    const database = new Database({ url, applicationName: "tidemark start", maxConnections: 1 })
    try {
      await database.assertSupported()
      const { pinned, extended } = await database.transaction((tx) => pinChain(tx, { schema, ...options }))
      const fields = { chainId: options.identity.chainId, genesis: options.identity.genesisHash }
      if (pinned && schema === "raw") logger.info(fields, "this store is for this chain from now on")
      if (extended && schema === "raw") {
        logger.info(
          { startBlock: options.startBlock },
          "history starts lower now: the watermark starts there anew",
        )
      }
    } finally {
      await database.end()
    }
  }
}

function threadInputs({
  chain,
  settings,
  holder,
  limits,
  name,
  identity,
  databases,
  lanes,
}: {
  chain: ChainConfig
  settings: ProcessSettings
  holder: string
  limits: readonly SharedLimitHandle[]
  name: string
  identity: ChainIdentity
  databases: ChainDatabases
  lanes: number
}): IngestThreadInput[] {
  return Array.from({ length: settings.threads }, (_, index) => ({
    index,
    holder,
    chain,
    chainName: name,
    chainId: identity.chainId,
    rawUrl: databases.rawUrl,
    appUrl: databases.appUrl,
    settings,
    limits,
    followsHead: index === 0,
    lanes,
  }))
}

/** At start too an outage is waited out, and said; only what a person has to change ends it. */
function patience({ clock, logger }: StartChainDeps, signal: AbortSignal) {
  return async <T>(attempt: () => Promise<T>, waiting: string): Promise<T> => {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (signal.aborted || !isIndexerError(error) || error.action !== "retry") throw error
        if (tries % 15 === 0) logger.warn({ code: error.code, error: describeError(error) }, waiting)
        await clock.sleep(retryMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}
