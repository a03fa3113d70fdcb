// Which range a claim takes: a due FAILED lease first, else the first gap that the dependencies cover. Pure. Gaps are found
// here and nowhere else: there is no planner that could disagree.

import { type BlockRange, rangesOverlap } from "../domain/block-range.js"
import { countHeights, intersect, type RangeSet, rangeSet, subtract, union } from "../domain/range-set.js"
import type { Covered } from "./coverage-ledger.js"
import type { ClaimRequest } from "./lease-store.js"

export interface UnfinishedLease {
  readonly id: string
  readonly range: BlockRange
  /** FAILED, and due for another attempt. */
  readonly due: boolean
  /** DEAD, or a single block that has failed a few times or met a bug: the head follower no longer waits for it. */
  readonly stuck: boolean
  readonly dead: boolean
  /** Held by a process. */
  readonly active: boolean
}

/** From this attempt on a failing block counts as stuck. */
export const stuckAfterAttempts = 3

/** Read by one statement: with two, a commit in between would make a covered range look free. */
export interface WorkerView extends Covered {
  readonly unfinished: readonly UnfinishedLease[]
}

export interface ClaimView extends WorkerView {
  /** heights + skipped of each dependency. */
  readonly gates: readonly RangeSet[]
}

export type Choice =
  | { readonly kind: "new"; readonly range: BlockRange }
  /** `rest`: the parts of the failed lease outside `range`. They stay FAILED, as leases of their own. */
  | { readonly kind: "failed"; readonly id: string; readonly range: BlockRange; readonly rest: RangeSet }

export type RangeRequest = Pick<ClaimRequest, "rangeSize" | "maxBlocks" | "order" | "inOrder">

/**
 * How many ranges of a region may wait for another attempt before nothing new is claimed there: this many, and one for every
 * hundred covered heights. The tip's region is shorter, so the tip always continues.
 */
const waitingMax = 200
/** DEAD blocks wait for a person and stop only themselves; this bounds what every claim has to read. */
const deadMax = 10_000

export function chooseRange(view: ClaimView, region: BlockRange, request: RangeRequest): Choice | undefined {
  if (region.to <= region.from) return undefined
  const failed = chooseFailed(view, region, request)
  if (failed) return failed
  // In order, one range at a time waits anyway.
  if (!request.inOrder && isFull(view, region)) return undefined
  return chooseGap(view, region, request)
}

/** A worker that fails at every block would otherwise leave a lease for each. */
function isFull(view: ClaimView, region: BlockRange): boolean {
  const left = view.unfinished.filter(({ active, range }) => !active && rangesOverlap(range, region))
  if (left.length < waitingMax) return false
  const dead = left.filter((lease) => lease.dead).length
  const done = countHeights(intersect(view.heights, [region]))
  return left.length - dead >= Math.max(waitingMax, Math.floor(done / 100)) || dead >= deadMax
}

/** Heights that are neither done nor leased, and that the dependencies cover. */
export function freeRanges(view: ClaimView, region: BlockRange): RangeSet {
  const leased = rangeSet(view.unfinished.map((lease) => lease.range))
  let free = subtract([region], union(union(view.heights, view.skipped), leased))
  for (const gate of view.gates) free = intersect(free, gate)
  return free
}

function chooseFailed(view: ClaimView, region: BlockRange, request: RangeRequest): Choice | undefined {
  const due = view.unfinished.filter((lease) => lease.due).sort((a, b) => a.range.from - b.range.from)
  for (const lease of due) {
    // The upper half of a split is due while the lower one waits.
    if (!isInOrder(view, { at: lease.range.from, region, request })) return undefined
    const [inside] = intersect([lease.range], [region])
    const range = inside && gatedPart(inside, view.gates)
    if (range) return { kind: "failed", id: lease.id, range, rest: subtract([lease.range], [range]) }
  }
  return undefined
}

/**
 * The part of a failed range that can be claimed: all of it, or one side of a hole that its dependencies have passed. Such a
 * hole, a block that one of them cannot process, may stay forever and must not block its neighbours.
 */
function gatedPart(range: BlockRange, gates: readonly RangeSet[]): BlockRange | undefined {
  let gated: RangeSet = [{ from: range.from, to: Number.MAX_SAFE_INTEGER }]
  for (const gate of gates) gated = intersect(gated, gate)
  const [first] = intersect(gated, [range])
  if (!first) return undefined
  const isPassed = first.from > range.from || gated.some(({ from }) => from >= first.to)
  return isPassed || first.to === range.to ? first : undefined
}

function chooseGap(view: ClaimView, region: BlockRange, request: RangeRequest): Choice | undefined {
  const free = freeRanges(view, region)
  const { rangeSize, maxBlocks } = request
  if (request.order === "newest") {
    const gap = free.at(-1)
    if (!gap) return undefined
    const floor = Math.floor((gap.to - 1) / rangeSize) * rangeSize
    return { kind: "new", range: { from: Math.max(gap.from, floor, gap.to - maxBlocks), to: gap.to } }
  }
  const gap = free[0]
  if (!gap) return undefined
  if (!isInOrder(view, { at: gap.from, region, request })) return undefined
  const ceiling = (Math.floor(gap.from / rangeSize) + 1) * rangeSize
  return { kind: "new", range: { from: gap.from, to: Math.min(gap.to, ceiling, gap.from + maxBlocks) } }
}

/** A lease may begin below the region and reach into it: finality rises while the head's range is held. */
function isInOrder(
  { unfinished }: ClaimView,
  { at, region, request }: { at: number; region: BlockRange; request: RangeRequest },
): boolean {
  const isBelow = ({ range, stuck }: UnfinishedLease): boolean => !stuck && range.to > region.from && range.from < at
  return !request.inOrder || !unfinished.some(isBelow)
}
