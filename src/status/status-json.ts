// The status as `/status` and `tidemark status --json` return it: heights are strings, names snake_case, lists
// bounded.

import type { LeaseRow } from "../coordination/lease-store.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { countHeights, type RangeSet } from "../domain/range-set.js"
import type { ChainStatus, ProcessRow, ProviderSummary, RollbackStatus, WorkerStatus } from "./chain-status.js"
import type { Diagnosis } from "./diagnosis.js"

const maxRanges = 100
const maxLeases = 100

export function statusJson(status: ChainStatus, diagnosis: Diagnosis) {
  return {
    chain: status.name,
    chain_id: status.chainId,
    chain_epoch: status.epoch,
    start_height: String(status.start),
    head_height: height(status.head),
    head_age_ms: status.headAgeMs,
    finalized_height: height(status.finalized),
    follower: status.follower,
    stored_head_height: height(status.storedHead),
    lag_blocks: status.lag,
    watermark_height: height(status.watermark),
    ...tipsJson(status),
    history_percent: status.percent,
    history_eta_ms: status.etaMs,
    derived_percent: status.derivedPercent,
    open_errors: status.openErrors,
    rollback_open: status.rollback !== null,
    rollback: status.rollback && rollbackJson(status.rollback),
    halt: status.halt,
    halt_height: height(status.haltHeight),
    halted_for_ms: status.haltAgeMs,
    workers: status.workers.map(workerJson),
    dead_blocks: status.deadBlocks.slice(0, maxLeases).map((dead) => ({
      worker: dead.worker,
      height: String(dead.height),
      attempts: dead.attempts,
      code: dead.code,
      error: dead.error,
    })),
    last_error: status.lastError && {
      code: status.lastError.code,
      message: status.lastError.message,
      ago_ms: Math.round(status.lastError.agoMs),
      where: status.lastError.where,
    },
    unchecked: status.unchecked,
    store: {
      raw_bytes: status.store.rawBytes,
      app_bytes: status.store.appBytes,
      free_bytes: status.store.freeBytes,
      days_to_full: status.daysToFull === null ? null : round(status.daysToFull),
      seconds_per_block: status.store.secondsPerBlock === null ? null : round(status.store.secondsPerBlock),
    },
    unindexed_partitions: status.unindexed.slice(0, maxRanges),
    processes: status.processes.map(processJson),
    providers: status.providers.map(providerJson),
    diagnosis,
    read_at: new Date(status.readAtMs).toISOString(),
  }
}

export type StatusJson = ReturnType<typeof statusJson>

export function workerJson(worker: WorkerStatus) {
  return {
    worker: worker.worker,
    dependencies: worker.dependencies,
    version: worker.registration?.version ?? null,
    tables: worker.registration?.tables ?? [],
    paused: worker.registration?.paused ?? false,
    paused_reason: worker.registration?.pausedReason ?? null,
    concurrency: worker.registration?.concurrency ?? null,
    open_errors: worker.openErrors,
    percent: worker.percent,
    watermark_height: height(worker.watermark),
    coverage: rangesJson(worker.coverage),
    coverage_blocks: countHeights(worker.coverage),
    skipped: rangesJson(worker.skipped),
    gaps: rangesJson(worker.gaps),
    gap_blocks: countHeights(worker.gaps),
    leases: worker.leases,
    unfinished: worker.unfinished.slice(0, maxLeases).map(leaseJson),
    blocks_per_second: {
      last_10s: round(worker.blocksPerSecond.last10s),
      last_60s: round(worker.blocksPerSecond.last60s),
    },
    lag_blocks: worker.lag,
    moved_ago_ms: worker.movedAgoMs,
  }
}

/** As the coverage of the API has them. */
function tipsJson({ workers, watermark }: ChainStatus) {
  const tips = (names: (worker: string) => boolean): number[] =>
    workers.filter(({ worker }) => names(worker)).map(({ coverage }) => (coverage.at(-1)?.to ?? 0) - 1)
  const [raw = -1] = tips((worker) => worker === rawIngester)
  const derived = tips((worker) => worker !== rawIngester)
  const lowest = derived.length > 0 ? Math.min(...derived) : -1
  const tip = (value: number): string | null => (value < 0 ? null : String(value))
  return { raw_tip_height: tip(raw), worker_tip_height: tip(lowest), app_watermark_height: height(watermark) }
}

const rollbackJson = ({ from, to, reason, progress, failures, error }: RollbackStatus) => ({
  from_height: String(from),
  to_height: height(to),
  reason,
  step: progress?.step ?? null,
  done_blocks: progress?.done ?? null,
  total_blocks: progress?.total ?? null,
  eta_ms: progress?.etaMs ?? null,
  failures,
  error_code: error?.code ?? null,
  error: error?.message ?? null,
})

export function leaseJson(lease: LeaseRow) {
  return {
    id: lease.id,
    worker: lease.worker,
    ...rangeJson(lease.range),
    status: lease.status,
    attempt: lease.attempt,
    leased_by: lease.leasedBy,
    leased_for_ms: whole(lease.leasedForMs),
    expires_in_ms: whole(lease.expiresInMs),
    next_attempt_in_ms: whole(lease.nextAttemptInMs),
    error_code: lease.lastErrorCode,
    error: lease.lastError,
  }
}

export const processJson = (process: ProcessRow) => ({
  id: process.id,
  host: process.host,
  pid: process.pid,
  roles: process.roles,
  version: process.version,
  http_url: process.httpUrl,
  up_ms: Math.round(process.upMs),
  seen_ago_ms: Math.round(process.seenAgoMs),
  threads: process.state.threads,
  follows_head: process.state.followsHead,
  paused: process.state.paused,
  rss_bytes: process.state.rssBytes,
})

export const providerJson = (provider: ProviderSummary) => ({
  label: provider.label,
  state: provider.state,
  last_error: provider.lastError,
  last_error_at: provider.lastErrorAtMs === null ? null : new Date(provider.lastErrorAtMs).toISOString(),
  wrong_chain_id: provider.mismatch,
  processes: provider.processes,
  open_in: provider.openIn,
  head_height: height(provider.head?.height ?? null),
  head_age_ms: provider.head?.ageMs ?? null,
  still_ms: provider.head?.stillMs ?? null,
  head_fault: provider.head?.fault ?? null,
  left: provider.head?.left ?? false,
})

/** Half-open, as everywhere. Only the first ones: a broken store may have thousands. */
const rangesJson = (ranges: RangeSet) => ranges.slice(0, maxRanges).map(rangeJson)
const rangeJson = ({ from, to }: BlockRange) => ({ from: String(from), to: String(to) })
const height = (value: number | null): string | null => (value === null ? null : String(value))
const whole = (value: number | null): number | null => (value === null ? null : Math.round(value))
const round = (value: number): number => Math.round(value * 100) / 100
