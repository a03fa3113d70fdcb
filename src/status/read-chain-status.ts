// Reads a chain's status from its databases, raw in one snapshot, so that coverage, leases and head are consistent.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { LeaseRow } from "../coordination/lease-store.js"
import type { Ledgers } from "../coordination/ledgers.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { formatRange } from "../domain/block-range.js"
import { countHeights, type RangeSet, union } from "../domain/range-set.js"
import { countOpenErrors } from "../indexing-errors/list-errors.js"
import { type PartitionIndexState, readPartitionIndexes } from "../partitions/partition-indexes.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import { readStoredWorkers, type StoredWorker } from "../workers/read-stored-workers.js"
import type { ChainStatus, DeadBlock, ProcessRow, Rate, StatusError, WorkerStatus } from "./chain-status.js"
import { daysToFull } from "./days-to-full.js"
import {
  type ChainHeights,
  commonWatermark,
  derivedPercent,
  etaMs,
  lagOf,
  measureWorker,
  percentDone,
  storedHead,
} from "./measure-progress.js"
import { mergeProviders } from "./merge-providers.js"
import { readChainRow, readProcesses } from "./read-status-rows.js"
import { rollbackStatus } from "./rollback-status.js"
import { type ReadStoreSize, readStoreSize } from "./store-size.js"

export interface ReadChainStatusOptions {
  /** The chain's name until the database has one. */
  readonly name: string
  /** The tables whose indexes are reported. */
  readonly family: {
    readonly rawTables: readonly PartitionedTable[]
    /** What blocks of this chain cannot be checked for. */
    uncheckedOn?(chainId: string): readonly string[]
  }
  /** The database of the derived tables; its workers are then in the answer. */
  readonly app?: SqlExecutor | undefined
  /** A cached reader; without one the sizes are queried each time. */
  readonly storeSize?: ReadStoreSize
}

/** A process that was silent for longer counts as gone. */
const processSeenWithinMs = 30_000
const readLimits = { isolation: "repeatable read", readOnly: true, statementTimeoutMs: 5_000 } as const

/** Throws DATABASE_UNREACHABLE and the like. `diagnose` decides what is wrong. */
export async function readChainStatus(
  { raw, ledgers }: { raw: SqlExecutor; ledgers: Ledgers },
  options: ReadChainStatusOptions,
): Promise<ChainStatus> {
  const base = await raw.transaction(async (tx) => {
    const chain = await readChainRow(tx)
    const processes = await readProcesses(tx, processSeenWithinMs)
    const heights: ChainHeights = chain ?? { start: 0, head: null, finalized: null }
    const openErrors = await countOpenErrors(tx, "raw")
    const schema = await readSchema(ledgers.raw, tx, { heights, processes, openErrors })
    const indexes = await readPartitionIndexes(tx, options.family.rawTables)
    const { rows } = await tx.query<{ now: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
    )
    return { chain, processes, heights, schema, indexes, now: Math.round(rows[0]!.now) }
  }, readLimits)
  const { chain, processes, heights, now } = base
  const ingester = base.schema.workers.find(({ worker }) => worker === rawIngester)
  const derived = options.app
    ? await options.app.transaction(
        async (tx) =>
          readSchema(ledgers.app, tx, {
            heights,
            processes,
            openErrors: await countOpenErrors(tx, "app"),
            derived: { stored: await readStoredWorkers(tx), ingester },
          }),
        readLimits,
      )
    : undefined
  const deriving = derived?.workers ?? []
  const workers = [...base.schema.workers, ...deriving]
  const stored = ingester ? storedHead(heights, union(ingester.coverage, ingester.skipped)) : null
  const eta = ingester ? etaMs(heights, { missing: ingester.missing, stored, rate: ingester.blocksPerSecond }) : null
  const size = await (options.storeSize ?? (() => readStoreSize({ raw, app: options.app })))()
  const store = { ...size, freeBytes: size.freeBytes ?? reportedFreeBytes(processes) }
  return {
    name: chain?.name ?? options.name,
    chainId: chain?.chainId ?? null,
    epoch: chain?.epoch ?? 0,
    start: heights.start,
    liveFrom: chain?.liveFrom ?? null,
    head: heights.head,
    headAgeMs: chain?.headAgeMs ?? null,
    finalized: heights.finalized,
    follower: chain?.follower ?? null,
    followerAgeMs: chain?.followerAgeMs ?? null,
    storedHead: stored,
    lag: lagOf(heights, stored),
    percent: ingester ? percentDone(heights, ingester.missing) : 0,
    etaMs: eta,
    derivedPercent: derivedPercent(heights, deriving),
    watermark: commonWatermark(workers),
    workers,
    deadBlocks: workers.flatMap(deadBlocks),
    openErrors: workers.reduce((sum, { openErrors }) => sum + openErrors, 0),
    lastError: newestError([base.schema.error, derived?.error, ...processes.map((one) => faultOf(one, now))]),
    store,
    daysToFull: daysToFull({
      store,
      blocks: ingester ? countHeights(ingester.coverage) : 0,
      missing: ingester && eta !== 0 ? countHeights(ingester.missing) : 0,
      etaMs: eta,
    }),
    unchecked: chain ? (options.family.uncheckedOn?.(chain.chainId) ?? []) : [],
    unindexed: [...new Set(base.indexes.filter(({ state }) => state !== "valid").map(partitionName))],
    processes,
    providers: mergeProviders(processes.flatMap(({ state }) => state.providers)),
    workForMs: workFor(processes),
    rollback: rollbackStatus(chain?.intent, processes),
    halt: chain?.halt ?? null,
    haltHeight: chain?.haltHeight ?? null,
    haltAgeMs: chain?.haltAgeMs ?? null,
    readAtMs: now,
  }
}

/** A process on the server's machine, or one that was given the capacity, knows what others cannot. */
function reportedFreeBytes(processes: readonly ProcessRow[]): number | null {
  const known = processes.flatMap(({ state }) => (typeof state.freeBytes === "number" ? [state.freeBytes] : []))
  return known.length > 0 ? Math.min(...known) : null
}

interface ReadSchemaOptions {
  readonly heights: ChainHeights
  readonly processes: readonly ProcessRow[]
  readonly openErrors: ReadonlyMap<string, number>
  /** For the schema whose workers depend on raw and on each other. */
  readonly derived?: {
    readonly stored: readonly StoredWorker[]
    readonly ingester: WorkerStatus | undefined
  }
}

async function readSchema(
  ledger: CoverageLedger,
  tx: Queryable,
  { heights, processes, openErrors, derived }: ReadSchemaOptions,
): Promise<{ workers: readonly WorkerStatus[]; error: StatusError | undefined }> {
  const { coverage: all, leases } = await ledger.snapshot(tx)
  // App's copy of raw's coverage is only a hint for claims; raw's own is newer.
  const coverage = derived ? all.filter(({ worker }) => worker !== rawIngester) : all
  const throughput = await ledger.readThroughput(tx)
  const upMs = Math.max(0, ...processes.map((process) => process.upMs))
  const done = new Map([
    [rawIngester, derived?.ingester ? union(derived.ingester.coverage, derived.ingester.skipped) : []],
    ...coverage.map((one): [string, RangeSet] => [one.worker, union(one.heights, one.skipped)]),
  ])
  const workers = coverage.map((one) => {
    const stored = derived?.stored.find(({ name }) => name === one.worker)
    const dependencies = derived ? [rawIngester, ...(stored?.dependencies ?? [])] : []
    return measureWorker(heights, {
      coverage: one,
      upstream: new Map(dependencies.map((name) => [name, done.get(name) ?? []])),
      registration: stored ?? null,
      openErrors: openErrors.get(one.worker) ?? 0,
      leases: leases.filter(({ worker }) => worker === one.worker),
      blocksPerSecond: rateOf(throughput.get(one.worker), upMs),
    })
  })
  return { workers, error: newestError(leases.map(leaseError)) ?? undefined }
}

/** Divides by the time that processes have been up, if that is shorter. */
function rateOf(blocks: Rate | undefined, upMs: number): Rate {
  if (!blocks) return { last10s: 0, last60s: 0 }
  const seconds = (most: number): number => (upMs > 0 ? Math.min(most, Math.max(1, upMs / 1_000)) : most)
  return { last10s: blocks.last10s / seconds(10), last60s: blocks.last60s / seconds(60) }
}

const partitionName = ({ table, partition }: PartitionIndexState): string => `${table.schema}.${partition}`

const deadBlocks = ({ worker, unfinished }: WorkerStatus): DeadBlock[] =>
  unfinished
    .filter(({ status }) => status === "DEAD")
    .map((lease) => ({
      worker,
      height: lease.range.from,
      attempts: lease.attempt,
      code: lease.lastErrorCode,
      error: lease.lastError,
    }))

function leaseError(lease: LeaseRow): StatusError | undefined {
  if (lease.lastError === null) return undefined
  return {
    code: lease.lastErrorCode ?? "BUG",
    message: lease.lastError,
    agoMs: Math.max(0, Math.round(lease.lastErrorAgoMs ?? 0)),
    where: `${lease.worker} ${formatRange(lease.range)}`,
  }
}

function faultOf({ host, pid, state: { lastFault } }: ProcessRow, now: number): StatusError | undefined {
  if (!lastFault) return undefined
  return {
    code: lastFault.code,
    message: lastFault.message,
    agoMs: Math.max(0, now - lastFault.atMs),
    where: `process ${host}:${pid}`,
  }
}

const newestError = (errors: readonly (StatusError | undefined)[]): StatusError | null =>
  errors.filter((error) => error !== undefined).sort((a, b) => a.agoMs - b.agoMs)[0] ?? null

function workFor(processes: readonly ProcessRow[]): number | null {
  const seen = processes.flatMap(({ state, seenAgoMs }) =>
    typeof state.workForMs === "number" ? [state.workForMs + seenAgoMs] : [],
  )
  return seen.length > 0 ? Math.max(...seen) : null
}
