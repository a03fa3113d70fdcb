// The role `work` of one chain: the tables of its workers, the work threads, the partitions of the app database, and the
// services that ask the node about tokens and code.

import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import type { Hex } from "../domain/linked-block.js"
import type { ObserversOptions } from "../families/chain-family.js"
import type { Service } from "../platform/service.js"
import type { Database } from "../postgres/database.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import { declaredIndexes } from "../workers/index-name.js"
import { ensureWorkerTables, type IdleWorker } from "../workers/postgres/ensure-worker-tables.js"
import { TableIndexBuilder } from "../workers/postgres/table-index-builder.js"
import { appPartitions, settleAppPartitions } from "./app-partitions.js"
import type { BorrowedConnections } from "./borrowed-connections.js"
import type { OpenChain } from "./open-chain.js"
import type { Renewals } from "./open-renewals.js"
import { superviseWork, type WorkThreads, type WorkThreadsOptions } from "./work-threads.js"

export interface PrepareWorkOptions extends Pick<WorkThreadsOptions, "registry" | "leases" | "onDerived"> {
  readonly lanes: number
  readonly borrowed: BorrowedConnections
  readonly renewals: Renewals
  /** Shared by all threads of the process. */
  readonly gate: SharedArrayBuffer
  readonly onCalls: ObserversOptions["onCalls"]
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
const indexCheckMs = 30_000

export async function prepareWork(open: OpenChain, options: PrepareWorkOptions): Promise<Work> {
  const { raw, app, clock, random, logger, metrics, chain, name, settings } = open
  const { registry } = options
  const tables = await ensureWorkerTables({ executor: app, ledger: open.ledgers.app }, { registry })
  if (tables.created.length > 0) logger.info({ tables: tables.created }, "tables of workers created")
  for (const { worker, message } of tables.idle) logger.warn({ worker }, message)
  const wanted = chain.appPartitionBlocks
  const appPartitionBlocks = await settleAppPartitions(open, { registry, family: open.family, wanted })
  const { threads, watch } = superviseWork({
    ...options,
    // One more for the tip: in a history thread it would wait for every block that is extracted there.
    inputs: Array.from({ length: settings.workThreads + 1 }, (_, index) => ({
      index,
      holder: open.holder,
      chain: { ...chain, appPartitionBlocks },
      chainName: name,
      ...open.databases,
      settings,
      configFile: open.configFile,
      runnable: tables.runnable,
      derivesTip: index === 0,
      lanes: index === 0 ? 0 : options.lanes,
      gate: options.gate,
    })),
    builtIn: new Set(open.family.workers.map(({ name }) => name)),
    database: app,
    clock,
    logger,
    drainMs: settings.drainMs,
    deadlineMs: settings.workerDeadlineMs,
    memoryMb: settings.workerMemoryMb,
    ...{ renew: options.renewals.app, shortestTtlMs: options.renewals.shortestTtlMs },
    onReport: (report) => metrics.addWork(name, report),
  })
  const keeper = new PartitionKeeper({
    database: app,
    state: raw,
    tables: appPartitions({ registry, family: open.family }, appPartitionBlocks),
    clock,
    logger,
    intervalMs: partitionCheckMs,
  })
  const indexes = new TableIndexBuilder({
    database: app,
    connect: async () => {
      const applicationName = `tidemark ${name} table index builder`
      const [connection] = await options.borrowed.open([{ url: open.databases.appUrl, applicationName }])
      return connection!
    },
    elections: postgresElections,
    indexes: registry.workers.filter(({ name }) => tables.runnable.includes(name)).flatMap(declaredIndexes),
    clock,
    logger,
    intervalMs: indexCheckMs,
  })
  const observers = open.family.createObservers(
    {
      ...{ app, ledger: open.ledgers.app, jobs: open.ledgers.jobs, clock, random, logger },
      coveredHead: (worker) => coveredHead({ raw, app }, worker),
    },
    {
      chain,
      chainId: open.identity.chainId,
      limits: open.limits,
      runnable: tables.runnable,
      holder: open.holder,
      onCalls: options.onCalls,
    },
  )
  return {
    services: [keeper, indexes, threads, watch, ...observers],
    threads,
    runnable: tables.runnable,
    idle: tables.idle,
  }
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
