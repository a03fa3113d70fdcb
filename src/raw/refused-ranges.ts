// Ranges of history that did not fit what is stored beside them. That costs no attempt, so their lease would be due again
// every second, for ever: this lane leaves each alone for twice as long as the last time.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, rangeSet, subtract } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"

interface RefusedRange {
  readonly range: BlockRange
  readonly waitMs: number
  readonly until: number
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** Of a store with more damage than this, each range is tried more often. */
const mostKept = 256

export class RefusedRanges {
  readonly #clock: Pick<Clock, "monotonic">
  #kept: RefusedRange[] = []

  constructor({ clock }: { readonly clock: Pick<Clock, "monotonic"> }) {
    this.#clock = clock
  }

  /** Returns how long it is left alone. */
  add(range: BlockRange): number {
    const overlaps = (one: RefusedRange): boolean => intersect([one.range], [range]).length > 0
    const before = Math.max(0, ...this.#kept.filter(overlaps).map(({ waitMs }) => waitMs))
    const waitMs = Math.min(longestWaitMs, Math.max(firstWaitMs, 2 * before))
    const until = this.#clock.monotonic() + waitMs
    this.#kept = [...this.#kept.filter((one) => !overlaps(one)), { range, waitMs, until }].slice(-mostKept)
    return waitMs
  }

  /** The regions without what is left alone now. */
  outOf(regions: readonly BlockRange[]): BlockRange[] {
    const now = this.#clock.monotonic()
    // One that was not refused again for long has been stored.
    this.#kept = this.#kept.filter(({ until }) => now < until + 2 * longestWaitMs)
    const waiting = rangeSet(this.#kept.filter(({ until }) => now < until).map(({ range }) => range))
    return waiting.length === 0 ? [...regions] : regions.flatMap((region) => [...subtract([region], waiting)])
  }
}
