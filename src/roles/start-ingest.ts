// The role `ingest` of one chain: the threads that store its blocks, and the services beside them.

import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { sizedTables } from "../partitions/settle-partition-size.js"
import type { Service } from "../platform/service.js"
import { readChainState } from "../raw/chain-state.js"
import { IndexBuilder } from "../raw/index-builder.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import { finishRollback } from "../rollback/finish-rollback.js"
import type { RollbackDeps } from "../rollback/rollback-deps.js"
import type { BorrowedConnections } from "./borrowed-connections.js"
import type { IngestThreadInput } from "./ingest-messages.js"
import { type IngestThreads, type IngestThreadsOptions, superviseIngest } from "./ingest-threads.js"
import type { OpenChain } from "./open-chain.js"
import type { Renewals } from "./open-renewals.js"

const partitionCheckMs = 30_000
const indexCheckMs = 10_000
/** An index of a large partition. */
const longestStatementMs = 86_400_000

export interface PrepareIngestOptions
  extends Pick<IngestThreadsOptions, "leases" | "spawned" | "onReport" | "onAnnounced" | "onStored"> {
  readonly lanes: number
  /** Shared by all threads of the process. */
  readonly gate: SharedArrayBuffer
  readonly derives: boolean
  readonly borrowed: BorrowedConnections
  readonly renewals: Renewals
}

export interface Ingest extends IngestThreads {
  /** Started by the caller. */
  readonly services: readonly Service[]
}

export function prepareIngest(
  open: OpenChain & Pick<RollbackDeps, "watch" | "apart">,
  options: PrepareIngestOptions,
): Ingest {
  const { chain, settings, name, databases, raw, clock, logger } = open
  const { renewals } = options
  const { threads, lend } = superviseIngest({
    ...options,
    inputs: threadInputs(open, options),
    database: raw,
    clock,
    logger,
    drainMs: settings.drainMs,
    ...{ renew: renewals.raw, shortestTtlMs: renewals.shortestTtlMs },
    finishRollback: () => finishRollback(open),
  })
  const tables = sizedTables(open.family.rawTables, chain.rawPartitionBlocks)
  const common = { database: raw, tables, clock, logger }
  const keeper = new PartitionKeeper({ ...common, intervalMs: partitionCheckMs })
  const indexes = new IndexBuilder({
    ...common,
    connect: async () => {
      const applicationName = `tidemark ${name} index builder`
      const [connection] = await options.borrowed.open([
        { url: databases.rawUrl, applicationName, answerTimeoutMs: settings.dbTimeoutMs, longestStatementMs },
      ])
      return connection!
    },
    elections: postgresElections,
    ledger: open.ledgers.raw,
    defer: chain.deferIndexes,
    chain: readChainState,
    intervalMs: indexCheckMs,
  })
  return { threads, lend, services: [keeper, indexes, threads] }
}

function threadInputs(
  { chain, settings, holder, processId, limits, name, identity, databases }: OpenChain,
  { lanes, gate, derives }: PrepareIngestOptions,
): IngestThreadInput[] {
  // One more for the head: in a history thread it would wait for every block that is decoded there.
  return Array.from({ length: settings.threads + 1 }, (_, index) => ({
    index,
    holder,
    processId,
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
