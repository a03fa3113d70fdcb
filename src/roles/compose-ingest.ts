// The parts of an ingest thread: the head follower, or a few lanes that fill history. The simulation runs the same parts
// on a model of the database.

import type { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import type { ChainFamily } from "../families/chain-family.js"
import { RangePartitions } from "../partitions/range-partitions.js"
import { sizedTables } from "../partitions/settle-partition-size.js"
import type { Clock } from "../platform/clock.js"
import { FifoLock } from "../platform/fifo-lock.js"
import type { Service } from "../platform/service.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { BlockWriter } from "../raw/block-writer.js"
import { HeadFollower, type HeadFollowerOptions } from "../raw/head-follower.js"
import { HistoryLane, type HistoryLaneOptions } from "../raw/history-lane.js"
import { RangeIngester, type RangeIngesterOptions } from "../raw/range-ingester.js"
import { ReorgWatch, type ReorgWatchOptions } from "../rollback/reorg-watch.js"
import { createRunner, type RunnerDeps, type RunnerSettings } from "./compose-runner.js"

export interface IngesterDeps extends RunnerDeps, Pick<RangeIngesterOptions, "source"> {
  readonly family: Pick<ChainFamily, "rawTables">
  readonly createWriter: () => BlockWriter
}

export interface IngesterSettings extends RunnerSettings, Pick<RangeIngesterOptions, "flushBytes" | "deferIndexes"> {
  /** Undefined: each table's default. */
  readonly rawPartitionBlocks?: number | undefined
}

export interface ComposeIngestDeps
  extends IngesterDeps,
    Pick<HeadFollowerOptions, "announced" | "mayClaim" | "onHead"> {
  /** At which history waits for new blocks. */
  readonly gate?: TipGate
  /** Whether lanes may claim when the head follower may. */
  readonly mayFillHistory: () => boolean
  readonly finishRollback: ReorgWatchOptions["finish"]
  readonly onHeadOutcome: HeadFollowerOptions["onOutcome"]
  readonly onHistoryOutcome: HistoryLaneOptions["onOutcome"]
}

export interface ComposeIngestSettings
  extends IngesterSettings,
    Pick<HeadFollowerOptions, "finalityDepth" | "takeOverMs">,
    Pick<HistoryLaneOptions, "order" | "endBlock" | "leaseTtlMs" | "targetBytes"> {
  /** A uuid; the holder is its name for people. */
  readonly processId: string
  readonly followsHead: boolean
  readonly lanes: number
  readonly headLeaseTtlMs: number
  readonly headPollMs: number
  readonly historyIdleMs: number
  readonly maxReorgDepth: number
  readonly reorgConfirmMs: number
}

export interface ComposedIngest {
  readonly services: readonly Service[]
  readonly follower: HeadFollower | undefined
  readonly headRunners: readonly LeasedRangeRunner[]
  readonly laneRunners: readonly LeasedRangeRunner[]
}

export function createIngester(deps: IngesterDeps, settings: IngesterSettings, lock?: FifoLock): RangeIngester {
  const { family, source, createWriter, clock } = deps
  const { flushBytes, deferIndexes, rawPartitionBlocks } = settings
  return new RangeIngester({
    runner: createRunner("raw", deps, settings),
    writer: createWriter(),
    partitions: new RangePartitions(sizedTables(family.rawTables, rawPartitionBlocks)),
    ...{ source, clock, lock, flushBytes, deferIndexes },
  })
}

export function composeIngest(deps: ComposeIngestDeps, settings: ComposeIngestSettings): ComposedIngest {
  const { gate, clock, mayClaim, mayFillHistory } = deps
  const head = settings.followsHead ? createIngester(deps, settings) : undefined
  const follower = head && createFollower(deps, settings, head)
  // Between two blocks, history lets a new block go first.
  const yieldToTip = async (): Promise<void> => {
    await clock.yield()
    await gate?.pass()
  }
  const patient: Clock = gate ? { ...clock, yield: yieldToTip } : clock
  // Lanes copy one after the other: two at once cost Postgres 50 % more for the same rows, since they extend the same
  // tables and fill the same index pages. The other lane encodes meanwhile.
  const lock = new FifoLock()
  const ingesters = Array.from({ length: settings.lanes }, () =>
    createIngester({ ...deps, clock: patient }, settings, lock),
  )
  const lanes = ingesters.map(
    (ingester) =>
      new HistoryLane({
        ...deps,
        ...settings,
        ingester,
        intervalMs: settings.historyIdleMs,
        mayClaim: () => mayClaim() && mayFillHistory(),
        onOutcome: deps.onHistoryOutcome,
      }),
  )
  return {
    services: [...(follower ? [follower] : []), ...lanes],
    follower,
    headRunners: head ? [head.runner] : [],
    laneRunners: ingesters.map(({ runner }) => runner),
  }
}

function createFollower(
  deps: ComposeIngestDeps,
  settings: ComposeIngestSettings,
  ingester: RangeIngester,
): HeadFollower {
  const ledger = postgresLedgers(deps).raw
  return new HeadFollower({
    ...deps,
    ...settings,
    holder: { id: settings.processId, name: settings.holder },
    elections: postgresElections,
    chain: ledger,
    ingester,
    leaseTtlMs: settings.headLeaseTtlMs,
    pollMs: settings.headPollMs,
    onOutcome: deps.onHeadOutcome,
    reorgs: new ReorgWatch({
      ...deps,
      // The follower's connection is free between two of its ranges.
      raw: { query: async (sql, params) => (await ingester.runner.connection()).query(sql, params) },
      ledger,
      finish: deps.finishRollback,
      maxDepth: settings.maxReorgDepth,
      confirmMs: settings.reorgConfirmMs,
    }),
  })
}
