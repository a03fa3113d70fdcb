// Which range a claim takes: a due failed lease first, else the first gated gap. Pure, so that Postgres, the model store
// and a property test decide alike. A gap is found here and nowhere else: there is no planner that could disagree.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract, union } from "../domain/range-set.js"
import type { ClaimRequest } from "./lease-store.js"

export interface UnfinishedLease {
  readonly id: string
  readonly range: BlockRange
  /** FAILED, and its time for another attempt has come. */
  readonly due: boolean
  /** DEAD, or a single block that has failed a few times or met a bug: what follows the head does not wait for it any longer. */
  readonly stuck: boolean
  /** Somebody holds it. */
  readonly active: boolean
}

/** From this attempt on a failing block counts as stuck. */
export const stuckAfterAttempts = 3

/** What one statement saw: taken from two, a commit in between would make a covered range look free. */
export interface ClaimView {
  readonly heights: RangeSet
  readonly skipped: RangeSet
  readonly unfinished: readonly UnfinishedLease[]
  /** heights + skipped of each dependency. */
  readonly gates: readonly RangeSet[]
}

export type Choice =
  | { readonly kind: "new"; readonly range: BlockRange }
  /** `rest` is what of the failed lease lies outside the region: it stays failed, as leases of its own. */
  | { readonly kind: "failed"; readonly id: string; readonly range: BlockRange; readonly rest: RangeSet }

export type RangeRequest = Pick<ClaimRequest, "rangeSize" | "maxBlocks" | "order" | "inOrder">

/** Blocks that failed, each a lease of its own, that a worker may have before it takes no new ranges. */
const unfinishedMax = 200

export function chooseRange(view: ClaimView, region: BlockRange, request: RangeRequest): Choice | undefined {
  if (region.to <= region.from) return undefined
  const failed = chooseFailed(view, region)
  if (failed) return failed
  // A worker that fails at every block would otherwise leave a lease behind for each.
  if (view.unfinished.filter(({ active }) => !active).length >= unfinishedMax) return undefined
  return chooseGap(view, region, request)
}

/** What nobody has done or holds, and the dependencies cover. */
export function freeRanges(view: ClaimView, region: BlockRange): RangeSet {
  const leased = rangeSet(view.unfinished.map((lease) => lease.range))
  let free = subtract([region], union(union(view.heights, view.skipped), leased))
  for (const gate of view.gates) free = intersect(free, gate)
  return free
}

function chooseFailed(view: ClaimView, region: BlockRange): Choice | undefined {
  const due = view.unfinished.filter((lease) => lease.due).sort((a, b) => a.range.from - b.range.from)
  for (const lease of due) {
    const [inside] = intersect([lease.range], [region])
    const range = inside && gatedPart(inside, view.gates)
    if (range) return { kind: "failed", id: lease.id, range, rest: subtract([lease.range], [range]) }
  }
  return undefined
}

/**
 * What of a failed range may be done: all of it, or what lies on one side of a hole that those it depends on have gone past. Such a hole may stay
 * for good, a block that one of them cannot take, and must not hold up the blocks around it.
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
  const isBelow = ({ range, stuck }: UnfinishedLease): boolean =>
    !stuck && range.from >= region.from && range.from < gap.from
  if (request.inOrder && view.unfinished.some(isBelow)) return undefined
  const ceiling = (Math.floor(gap.from / rangeSize) + 1) * rangeSize
  return { kind: "new", range: { from: gap.from, to: Math.min(gap.to, ceiling, gap.from + maxBlocks) } }
}
