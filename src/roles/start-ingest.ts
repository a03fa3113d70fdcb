// What a process that ingests a chain runs: the threads that store its blocks, and the services beside them.

import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import type { ChainFamily } from "../families/chain-family.js"
import type { Clock } from "../platform/clock.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { Database } from "../postgres/database.js"
import { readChainState } from "../raw/chain-state.js"
import { IndexBuilder } from "../raw/index-builder.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import { finishRollback } from "../rollback/finish-rollback.js"
import { RollbackFinisher } from "../rollback/rollback-finisher.js"
import type { ChainIdentity } from "../source/block-source.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { BorrowedConnections } from "./borrowed-connections.js"
import type { ChainDatabases } from "./chain-databases.js"
import { renewalPoolSize } from "./connection-budget.js"
import type { IngestThreadInput } from "./ingest-messages.js"
import { IngestThreads, type IngestThreadsOptions } from "./ingest-threads.js"

const partitionCheckMs = 30_000
const indexCheckMs = 10_000

export interface PrepareIngestOptions
  extends Pick<IngestThreadsOptions, "spawned" | "onReport" | "onAnnounced" | "onStored"> {
  readonly family: ChainFamily
  readonly chain: ChainConfig
  readonly settings: ProcessSettings
  readonly holder: string
  readonly limits: readonly SharedLimitHandle[]
  readonly name: string
  readonly identity: ChainIdentity
  readonly databases: ChainDatabases
  readonly lanes: number
  /** Shared by all threads of the process. */
  readonly gate: SharedArrayBuffer
  readonly derives: boolean
  readonly borrowed: BorrowedConnections
}

export interface PreparedIngest {
  readonly threads: IngestThreads
  /** To be run once before any of the services is started. */
  readonly finisher: RollbackFinisher
  /** To be ended when the threads have stopped. */
  readonly renewals: Database
  readonly services: readonly Service[]
}

export function prepareIngest(
  {
    raw,
    app,
    clock,
    random,
    logger,
  }: { raw: Database; app: Database; clock: Clock; random: Random; logger: Logger },
  options: PrepareIngestOptions,
): PreparedIngest {
  const { family, chain, settings, name, databases } = options
  const keeper = new PartitionKeeper({
    database: raw,
    tables: family.partitionedTables,
    clock,
    logger,
    intervalMs: partitionCheckMs,
  })
  const renewals = new Database({
    url: databases.rawUrl,
    applicationName: `tidemark ${name} renewal`,
    maxConnections: renewalPoolSize,
  })
  const renewing = new PostgresLeaseStore({ executor: renewals, schema: "raw", random })
  const threads = new IngestThreads({
    spawned: options.spawned,
    inputs: threadInputs(options),
    clock,
    logger,
    drainMs: settings.drainMs,
    renew: (tokens) => renewing.renew(tokens),
    shortestTtlMs: Math.min(settings.leaseTtlMs, settings.headLeaseTtlMs),
    onReport: options.onReport,
    onAnnounced: options.onAnnounced,
    onStored: options.onStored,
    finishRollback: () => finishRollback({ raw, app, random, family }),
  })
  const indexes = new IndexBuilder({
    database: raw,
    connect: async () => {
      const applicationName = `tidemark ${name} index builder`
      const [connection] = await options.borrowed.open([{ url: databases.rawUrl, applicationName }])
      return connection!
    },
    schema: "raw",
    tables: family.partitionedTables,
    defer: chain.deferIndexes,
    liveFrom: async () => (await readChainState(raw))?.liveFrom ?? null,
    clock,
    logger,
    intervalMs: indexCheckMs,
  })
  const finisher = new RollbackFinisher({ raw, app, random, family, clock, logger, intervalMs: 1_000 })
  return { threads, finisher, renewals, services: [keeper, indexes, finisher, threads] }
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
  gate,
  derives,
}: PrepareIngestOptions): IngestThreadInput[] {
  // One more for the head: beside history it would wait for every block that is decoded there.
  return Array.from({ length: settings.threads + 1 }, (_, index) => ({
    index,
    holder,
    chain,
    chainName: name,
    chainId: identity.chainId,
    rawUrl: databases.rawUrl,
    settings,
    limits,
    followsHead: index === 0,
    lanes: index === 0 ? 0 : lanes,
    gate,
    derives,
  }))
}
