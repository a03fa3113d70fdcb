// The role `work` of one chain: the tables of its workers, the threads that derive, the partitions of the app database,
// and whoever asks the node about tokens and code.

import type { LeaseStore } from "../coordination/lease-store.js"
import type { Hex } from "../domain/linked-block.js"
import type { ChainFamily } from "../families/chain-family.js"
import type { Clock } from "../platform/clock.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import type { Metrics } from "../platform/metrics.js"
import type { Random } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import type { Database } from "../postgres/database.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import { ensureWorkerTables, type IdleWorker } from "../workers/postgres/ensure-worker-tables.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import type { ChainDatabases } from "./chain-databases.js"
import { WorkThreads } from "./work-threads.js"

export interface StartWorkDeps {
  readonly raw: Database
  readonly app: Database
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface StartWorkOptions {
  readonly family: ChainFamily
  readonly chain: ChainConfig
  readonly name: string
  readonly chainId: string
  readonly holder: string
  readonly settings: ProcessSettings
  readonly registry: WorkerRegistry
  readonly leases: LeaseStore<Queryable>
  readonly databases: ChainDatabases
  readonly limits: readonly SharedLimitHandle[]
  readonly configFile: string | undefined
  readonly lanes: number
  readonly gate: SharedArrayBuffer
  readonly onDerived: (range: { readonly from: number; readonly to: number; readonly at: number }) => void
}

export interface Work {
  /** Started by the caller. */
  readonly services: readonly Service[]
  readonly threads: WorkThreads
  /** Workers this process derives. */
  readonly runnable: readonly string[]
  /** Workers that are declared here and not run. */
  readonly idle: readonly IdleWorker[]
}

const partitionCheckMs = 30_000

export async function prepareWork(deps: StartWorkDeps, options: StartWorkOptions): Promise<Work> {
  const { raw, app, clock, random, logger, metrics } = deps
  const { chain, name, settings, registry, leases } = options
  const tables = await ensureWorkerTables(app, { registry })
  if (tables.created.length > 0) logger.info({ tables: tables.created }, "tables of workers made")
  const idle = [...tables.outdated, ...tables.changed, ...tables.blocked]
  for (const { worker, message } of idle) logger.warn({ worker }, message)
  const threads = new WorkThreads({
    // One more for the tip: beside history it would wait for every piece that is extracted there.
    inputs: Array.from({ length: settings.workThreads + 1 }, (_, index) => ({
      index,
      holder: options.holder,
      chain,
      chainName: name,
      rawUrl: options.databases.rawUrl,
      appUrl: options.databases.appUrl,
      settings,
      configFile: options.configFile,
      runnable: tables.runnable,
      derivesTip: index === 0,
      lanes: index === 0 ? 0 : options.lanes,
      gate: options.gate,
    })),
    registry,
    leases,
    app,
    clock,
    logger,
    drainMs: settings.drainMs,
    deadlineMs: settings.workerDeadlineMs,
    memoryMb: settings.workerMemoryMb,
    shortestTtlMs: Math.min(settings.leaseTtlMs, settings.headLeaseTtlMs),
    onReport: (_, report) => metrics.addWork(name, report),
    onDerived: options.onDerived,
  })
  const services: Service[] = [
    new PartitionKeeper({
      database: app,
      state: raw,
      tables: registry.partitionedTables(),
      clock,
      logger,
      intervalMs: partitionCheckMs,
    }),
    threads,
    ...options.family.createObservers(
      { app, clock, random, logger, coveredHead: (worker) => coveredHead({ raw, app }, worker) },
      {
        chain,
        chainId: options.chainId,
        limits: options.limits,
        runnable: tables.runnable,
        holder: options.holder,
      },
    ),
  ]
  return { services, threads, runnable: tables.runnable, idle }
}

/** The highest block that a worker covers, with its hash. */
async function coveredHead(
  { raw, app }: { raw: Database; app: Database },
  worker: string,
): Promise<{ height: number; hash: Hex } | undefined> {
  const {
    rows: [covered],
  } = await app.query<{ end: string | null }>(
    `select upper(range_merge(heights)) as end from app.coverage where worker_type = $1 and not isempty(heights)`,
    [worker],
  )
  if (!covered?.end) return undefined
  const height = heightFrom(covered.end) - 1
  const {
    rows: [block],
  } = await raw.query<{ hash: Buffer }>("select hash from raw.blocks where height = $1", [height])
  return block && { height, hash: `0x${block.hash.toString("hex")}` }
}
