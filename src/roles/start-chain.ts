// One chain in this process, from its config to its running services. The only place where a chain's parts are put together.

import { hostname } from "node:os"
import type { ChainView } from "../api/chain-view.js"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { LeaseReaper } from "../coordination/lease-reaper.js"
import type { ReapOutcome } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import type { Clock } from "../platform/clock.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import type { Metrics } from "../platform/metrics.js"
import type { Random } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { TipGate } from "../platform/tip-gate.js"
import { Database } from "../postgres/database.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { createSharedLimit } from "../source/shared-limit.js"
import type { ChainStatus } from "../status/chain-status.js"
import { exportStatus } from "../status/export-status.js"
import { ProcessReporter } from "../status/process-reporter.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { StallDoctor } from "../status/stall-doctor.js"
import { storeSizeReader } from "../status/store-size.js"
import { Reconciler } from "../verify/reconciler.js"
import { AnnouncedHeads } from "./announced-heads.js"
import { BorrowedConnections } from "./borrowed-connections.js"
import { appPoolSize, planLanes, rawPoolSize } from "./connection-budget.js"
import { familyOf } from "./family-of.js"
import { IngestActivity } from "./ingest-activity.js"
import { type IngestThreads, spawnIngestThread } from "./ingest-threads.js"
import { loadWorkers } from "./load-workers.js"
import { patience } from "./patience.js"
import { pinDatabases, prepareDatabases, storedName } from "./prepare-databases.js"
import type { Role } from "./role.js"
import { prepareIngest } from "./start-ingest.js"
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

/** How often to look whether tonight's run is due. */
const reconcileCheckMs = 60_000

export async function startChain(deps: StartChainDeps, options: StartChainOptions): Promise<RunningChain> {
  const { clock, random, metrics } = deps
  const { chain, settings, roles, holder, signal } = options
  const limits = chain.rpcUrls.map(() =>
    createSharedLimit({
      maxRps: chain.rpcMaxRps || undefined,
      maxInFlight: chain.rpcMaxInFlight || undefined,
    }),
  )
  // The first is for the head.
  const spawned = roles.includes("ingest")
    ? Array.from({ length: settings.threads + 1 }, (_, index) =>
        spawnIngestThread({ followsHead: index === 0, settings }),
      )
    : []
  let started = false
  const reapers: LeaseReaper[] = []
  const family = familyOf(chain)
  const asking = family.createSource(deps, { chain, chainId: undefined, limits, bytesInFlight: 1 << 20 })
  try {
    const patiently = patience(deps, signal)
    const identity = await patiently(() => asking.identity({ signal }), "waiting for the node")
    const name =
      chain.name ??
      (await patiently(() => storedName(chain), "waiting for the database")) ??
      family.chainName(identity)
    const logger = deps.logger.child({ chain: name })
    const databases = await patiently(
      () => prepareDatabases(deps, { chain, name, asking, signal, logger }),
      "waiting for the database",
    )
    await patiently(
      () => pinDatabases(databases, { name, identity, startBlock: chain.startBlock, logger }),
      "waiting for the database",
    )

    const database = new Database({
      url: databases.rawUrl,
      applicationName: `tidemark ${name} services`,
      maxConnections: rawPoolSize,
      ownSessions: !settings.pooledConnections,
    })
    const app =
      databases.appUrl === databases.rawUrl
        ? database
        : new Database({
            url: databases.appUrl,
            applicationName: `tidemark ${name} services`,
            maxConnections: appPoolSize,
            ownSessions: !settings.pooledConnections,
          })
    const policy = { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts }
    const leases = new PostgresLeaseStore({ executor: database, schema: "raw", random, policy })
    const derivedLeases = new PostgresLeaseStore({ executor: app, schema: "app", random, policy })
    await patiently(() => leases.register(rawIngester), "waiting for the database")
    const activity = new IngestActivity()
    const services: Service[] = []
    if (roles.includes("ingest") || roles.includes("work")) {
      const onReaped = (outcome: ReapOutcome): void => metrics.addReaped(name, outcome)
      const intervalMs = settings.reapIntervalMs
      for (const store of [leases, derivedLeases])
        reapers.push(new LeaseReaper({ leases: store, clock, logger, intervalMs, onReaped }))
      // Before all others: a rollback that is finished below may wait for somebody who fell silent in the middle of a commit.
      for (const reaper of reapers) reaper.start()
      services.push(...reapers)
    }
    const registry = await loadWorkers({ family, configFile: options.configFile, chain })
    const derives = roles.includes("work") && registry.workers.length > 0
    const oneDatabase = databases.appUrl === databases.rawUrl
    const lanes = planLanes({ ...settings, ...chain, roles, derives, oneDatabase })
    let threads: IngestThreads | undefined
    let renewals: Database | undefined
    const borrowed = new BorrowedConnections({
      spare: lanes.spare,
      lanes: roles.includes("ingest") ? settings.threads * lanes.ingestLanes : 0,
      lend: async (lent) => threads?.lend(lent),
    })
    const announced = new AnnouncedHeads()
    const gate = new TipGate({ clock }).memory
    const work = derives
      ? await patiently(
          () =>
            prepareWork(
              { raw: database, app, clock, random, logger, metrics },
              {
                family,
                chain,
                name,
                chainId: identity.chainId,
                holder,
                settings,
                registry,
                leases: derivedLeases,
                databases,
                limits,
                configFile: options.configFile,
                lanes: lanes.workLanes,
                gate,
                onDerived: (range) => {
                  for (const seconds of announced.delays(range))
                    metrics.deriveDelay.observe({ chain: name }, seconds)
                },
              },
            ),
          "waiting for the database",
        )
      : undefined
    if (roles.includes("ingest")) {
      const ingest = prepareIngest(
        { raw: database, app, clock, random, logger },
        {
          ...{ family, chain, settings, holder, limits, name, identity, databases, lanes: lanes.ingestLanes },
          onReport: (thread, report) => {
            activity.add(thread, report)
            metrics.addIngest(name, report)
          },
          onAnnounced: (head) => announced.add(head),
          onStored: () => work?.threads.wake(),
          borrowed,
          spawned,
          gate,
          derives,
        },
      )
      // Before anything is stored: a database that went back must not be built upon.
      await patiently(() => ingest.finisher.runOnce(), "waiting for the database")
      threads = ingest.threads
      renewals = ingest.renewals
      services.push(...ingest.services)
    }
    if (work) services.push(...work.services)
    if (roles.includes("maintain")) {
      const applicationName = `tidemark ${name} reconciler`
      services.push(
        new Reconciler({
          raw: database,
          app,
          connect: async () => {
            const urls = [...new Set([databases.rawUrl, databases.appUrl])]
            const [raw, app = raw] = await borrowed.open(urls.map((url) => ({ url, applicationName })))
            return { raw: raw!, app: app! }
          },
          family,
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
    const status = (): Promise<ChainStatus> => readChainStatus(database, { name, family, app, storeSize })
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
    started = true
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
        await renewals?.end()
        await database.end()
        await app.end()
      },
    }
  } finally {
    if (!started)
      await Promise.all([
        ...spawned.map((thread) => thread.terminate()),
        ...reapers.map((reaper) => reaper.stop()),
      ])
    await asking.close()
  }
}
