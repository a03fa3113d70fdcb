// The arithmetic of status: watermark, gaps, lag, percent and ETA out of coverage and leases. Pure.

import type { WorkerCoverage } from "../coordination/coverage-ledger.js"
import type { LeaseRow } from "../coordination/lease-store.js"
import {
  countHeights,
  intersect,
  type RangeSet,
  rangeSet,
  subtract,
  union,
  watermarkEnd,
} from "../domain/range-set.js"
import { downstreamOf } from "../workers/downstream.js"
import type { LeaseCounts, Rate, WorkerRegistration, WorkerStatus } from "./chain-status.js"

export interface ChainHeights {
  readonly start: number
  readonly head: number | null
  readonly finalized: number | null
}

export interface WorkerInput {
  /** Everything it depends on, with what that has done. */
  readonly upstream?: ReadonlyMap<string, RangeSet>
  readonly registration?: WorkerRegistration | null
  readonly openErrors?: number
  readonly coverage: WorkerCoverage
  readonly leases: readonly LeaseRow[]
  readonly blocksPerSecond: Rate
}

export function measureWorker(heights: ChainHeights, input: WorkerInput): WorkerStatus {
  const { start } = heights
  const { worker, heights: coverage, skipped } = input.coverage
  const done = union(coverage, skipped)
  const missing = subtract(chainRange(heights), done)
  const end = watermarkEnd(done, start)
  const upstream = input.upstream ?? new Map<string, RangeSet>()
  const dead = rangeSet(input.leases.filter(({ status }) => status === "DEAD").map(({ range }) => range))
  return {
    worker,
    dependencies: [...upstream.keys()],
    registration: input.registration ?? null,
    openErrors: input.openErrors ?? 0,
    percent: percentDone(heights, missing),
    watermark: end > start ? end - 1 : null,
    coverage,
    skipped,
    missing,
    doable: subtract([...upstream.values()].reduce<RangeSet>(intersect, missing), dead),
    gaps: subtract(missing, rangeSet(input.leases.map(({ range }) => range))),
    leases: countLeases(input.leases),
    unfinished: input.leases,
    movedAgoMs: input.coverage.movedAgoMs,
    blocksPerSecond: input.blocksPerSecond,
    lag: lagOf(heights, storedHead(heights, done)),
  }
}

/** [start, head], or nothing while no head is known. */
const chainRange = ({ start, head }: ChainHeights): RangeSet =>
  head === null || head < start ? [] : [{ from: start, to: head + 1 }]

/**
 * The end of the stretch that reaches the head. The follower works in order from finality, so its stretch contains
 * that height; while there is none, the last stretch below counts (a chain whose every block is final has only
 * those).
 */
export function storedHead({ start, finalized }: ChainHeights, done: RangeSet): number | null {
  const from = Math.max(start, finalized ?? start)
  const stretch = done.find((part) => part.from <= from && from < part.to) ?? done.findLast((part) => part.to <= from)
  return stretch ? stretch.to - 1 : null
}

export function lagOf({ start, head }: ChainHeights, stored: number | null): number | null {
  if (head === null) return null
  // A node that lags behind what is stored does not make us ahead.
  return Math.max(0, stored === null ? head - start + 1 : head - stored)
}

/** Rounded down: 100 means all of it. */
export function percentDone(heights: ChainHeights, missing: RangeSet): number {
  const whole = countHeights(chainRange(heights))
  if (whole === 0) return 0
  return Math.floor(((whole - countHeights(missing)) / whole) * 10_000) / 100
}

/** What all of them have; null where there are none. */
export const derivedPercent = (heights: ChainHeights, derived: readonly WorkerStatus[]): number | null =>
  derived.length === 0 ? null : percentDone(heights, derived.map(({ missing }) => missing).reduce<RangeSet>(union, []))

/** For what is missing below the live stretch; the head's own next blocks do not make history unfinished. */
export function etaMs(
  heights: ChainHeights,
  { missing, stored, rate }: { missing: RangeSet; stored: number | null; rate: Rate },
): number | null {
  if (heights.head === null) return null
  const below = Math.max(heights.finalized ?? heights.start, heights.start, (stored ?? -1) + 1)
  const left = countHeights(intersect(missing, [{ from: heights.start, to: below }]))
  if (left === 0) return 0
  const perSecond = rate.last60s > 0 ? rate.last60s : rate.last10s
  return perSecond > 0 ? Math.round((left / perSecond) * 1_000) : null
}

const countLeases = (leases: readonly LeaseRow[]): LeaseCounts => ({
  active: leases.filter(({ status }) => status === "ACTIVE").length,
  failed: leases.filter(({ status }) => status === "FAILED").length,
  dead: leases.filter(({ status }) => status === "DEAD").length,
})

/** The given workers and all that read their rows. */
export const heldUpBy = (workers: readonly WorkerStatus[], names: readonly string[]): readonly string[] =>
  downstreamOf(
    workers.map(({ worker, dependencies }) => ({ name: worker, dependencies })),
    names,
  )

/** Up to where all workers are complete; null as soon as one has nothing. */
export function commonWatermark(workers: readonly WorkerStatus[]): number | null {
  if (workers.length === 0 || workers.some(({ watermark }) => watermark === null)) return null
  return Math.min(...workers.map(({ watermark }) => watermark!))
}
