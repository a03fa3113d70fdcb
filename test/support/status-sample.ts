// A chain's status as a test wants it: half of history is done, the head is followed, one process and one provider are well.

import type { LeaseRow } from "../../src/coordination/lease-store.js"
import type { RangeSet } from "../../src/domain/range-set.js"
import type { ChainStatus, ProcessRow, ProviderSummary, WorkerStatus } from "../../src/status/chain-status.js"
import { commonWatermark, derivedPercent, measureWorker } from "../../src/status/measure-progress.js"
import type { ProcessState } from "../../src/status/process-state.js"

export const sampleProvider = (over: Partial<ProviderSummary> = {}): ProviderSummary => ({
  label: "rpc.example:8545",
  state: "closed",
  lastError: null,
  lastErrorAtMs: null,
  mismatch: null,
  processes: 1,
  openIn: over.state === "open" ? 1 : 0,
  ...over,
})

export const sampleProcess = (over: Partial<ProcessRow> = {}, state: Partial<ProcessState> = {}): ProcessRow => ({
  id: "00000000-0000-4000-8000-000000000001",
  host: "harbour",
  pid: 4242,
  roles: ["ingest", "work", "maintain", "serve"],
  version: "0.1.0",
  httpUrl: "http://127.0.0.1:8080",
  upMs: 3_600_000,
  seenAgoMs: 500,
  state: {
    threads: 2,
    followsHead: true,
    providers: [],
    paused: null,
    lastFault: null,
    lastStoredAtMs: null,
    rssBytes: 268_435_456,
    workForMs: null,
    ...state,
  },
  ...over,
})

export const sampleLease = (over: Partial<LeaseRow> = {}): LeaseRow => ({
  id: "1",
  epoch: "00000000-0000-4000-8000-000000000002",
  worker: "raw_ingester",
  range: { from: 600, to: 650 },
  status: "ACTIVE",
  attempt: 1,
  leasedBy: "harbour:4242:0",
  leasedForMs: 800,
  expiresInMs: 29_200,
  nextAttemptInMs: null,
  lastError: null,
  lastErrorCode: null,
  lastErrorAgoMs: null,
  ...over,
})

export const sampleDeadLease = (height: number): LeaseRow =>
  sampleLease({
    id: "2",
    range: { from: height, to: height + 1 },
    status: "DEAD",
    attempt: 20,
    leasedBy: null,
    leasedForMs: null,
    expiresInMs: null,
    lastError: "the receipts root differs",
    lastErrorCode: "VERIFY_FAILED",
  })

export interface SampleWork {
  readonly head?: number
  readonly finalized?: number
  readonly coverage?: readonly { from: number; to: number }[]
  readonly leases?: readonly LeaseRow[]
  readonly movedAgoMs?: number | null
}

function sampleWorker(work: SampleWork = {}): WorkerStatus {
  const { head = 1_199, finalized = 1_135 } = work
  return measureWorker(
    { start: 0, head, finalized },
    {
      coverage: {
        worker: "raw_ingester",
        heights: work.coverage ?? [
          { from: 0, to: 600 },
          { from: 1_135, to: 1_200 },
        ],
        skipped: [],
        movedAgoMs: work.movedAgoMs === undefined ? 400 : work.movedAgoMs,
      },
      leases: work.leases ?? [sampleLease()],
      blocksPerSecond: { last10s: 120, last60s: 107 },
    },
  )
}

const deadBlocksOf = ({ worker, unfinished }: WorkerStatus): ChainStatus["deadBlocks"] =>
  unfinished
    .filter(({ status }) => status === "DEAD")
    .map(({ range, attempt, lastErrorCode, lastError }) => ({
      ...{ worker, height: range.from, attempts: attempt, code: lastErrorCode, error: lastError },
    }))

export interface SampleDerived extends Pick<SampleWork, "coverage" | "leases" | "movedAgoMs"> {
  readonly name: string
  readonly dependencies?: readonly string[]
  readonly paused?: string
  readonly concurrency?: number
  readonly errors?: number
}

/** Workers of the app database over what `sampleStatus` has stored; without coverage they have all of it. */
export function sampleDerived(status: ChainStatus, workers: readonly SampleDerived[]): ChainStatus {
  const [ingester] = status.workers
  const done = new Map<string, RangeSet>([["raw_ingester", ingester!.coverage]])
  for (const { name, coverage } of workers) done.set(name, coverage ?? ingester!.coverage)
  const heights = { start: status.start, head: status.head, finalized: status.finalized }
  const derived = workers.map(
    ({ name, dependencies = [], paused, concurrency, errors = 0, leases = [], movedAgoMs = 400 }) =>
      measureWorker(heights, {
        coverage: { worker: name, heights: done.get(name)!, skipped: [], movedAgoMs },
        upstream: new Map(["raw_ingester", ...dependencies].map((one) => [one, done.get(one) ?? []])),
        registration: {
          version: 1,
          tables: [name.replace("_worker", "_rows")],
          paused: paused !== undefined,
          pausedReason: paused ?? null,
          concurrency: concurrency ?? null,
        },
        openErrors: errors,
        leases: leases.map((lease) => ({ ...lease, worker: name })),
        blocksPerSecond: { last10s: 90, last60s: 80 },
      }),
  )
  const all = [...status.workers, ...derived]
  return {
    ...status,
    workers: all,
    derivedPercent: derivedPercent(heights, derived),
    openErrors: derived.reduce((sum, { openErrors }) => sum + openErrors, 0),
    watermark: commonWatermark(all),
    deadBlocks: all.flatMap(deadBlocksOf),
  }
}

/** The shape of what comes with Tidemark, and one more. */
export const sampleGraph: readonly SampleDerived[] = [
  { name: "accounts_worker", dependencies: ["meta_worker", "evm_worker", "tx_metrics_worker"] },
  { name: "evm_worker" },
  { name: "ft_holdings_worker", dependencies: ["token_worker"] },
  { name: "meta_worker" },
  { name: "nft_ownership_worker", dependencies: ["token_worker"] },
  { name: "stats_worker", dependencies: ["tx_metrics_worker", "token_worker", "meta_worker"] },
  { name: "token_metadata_worker", dependencies: ["token_worker"] },
  { name: "token_worker" },
  { name: "tx_contracts_worker", dependencies: ["token_worker"] },
  { name: "tx_metrics_worker" },
  { name: "whale_transfers", dependencies: ["ft_holdings_worker"] },
]

/** The same with some of it changed, by name. */
export const sampleGraphWith = (changes: Readonly<Record<string, Partial<SampleDerived>>>): readonly SampleDerived[] =>
  sampleGraph.map((worker) => ({ ...worker, ...changes[worker.name] }))

export function sampleStatus(over: Partial<ChainStatus> = {}, work: SampleWork = {}): ChainStatus {
  const worker = sampleWorker(work)
  const { head = 1_199, finalized = 1_135 } = work
  return {
    name: "demo",
    chainId: "31337",
    epoch: 0,
    start: 0,
    liveFrom: 1_135,
    head,
    headAgeMs: 400,
    finalized,
    follower: "harbour:4242:0",
    followerAgeMs: 400,
    storedHead: worker.lag === null ? null : head - worker.lag,
    lag: worker.lag,
    percent: 55.41,
    etaMs: 5_000,
    derivedPercent: null,
    openErrors: 0,
    watermark: worker.watermark,
    workers: [worker],
    deadBlocks: deadBlocksOf(worker),
    lastError: null,
    store: { rawBytes: 1_288_490_188, appBytes: 8_388_608, freeBytes: 429_496_729_600, secondsPerBlock: 12 },
    daysToFull: 37.25,
    unchecked: [],
    unindexed: [],
    processes: [sampleProcess()],
    providers: [sampleProvider()],
    workForMs: 1_800_000,
    rollback: null,
    halt: null,
    haltHeight: null,
    haltAgeMs: null,
    readAtMs: 1_700_000_000_000,
    ...over,
  }
}

/** The whole chain is stored. */
export const sampleDone: SampleWork = { coverage: [{ from: 0, to: 1_200 }], leases: [] }
