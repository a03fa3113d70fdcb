// The workers that a thread has found to be slow. They delay workers that share a range with them, so they get ranges of
// their own, and are tried in the group again after a minute.

import type { Clock } from "../platform/clock.js"
import type { DeriveResult } from "./derive-group.js"

const tryAgainMs = 60_000
/** A worker is slow if it takes this long in one range, and most of the range's time. */
const slowMs = 250
const slowShare = 0.6

export class SlowWorkers {
  private readonly tryAgainAt = new Map<string, number>()
  private readonly clock: Pick<Clock, "monotonic">

  constructor({ clock }: { clock: Pick<Clock, "monotonic"> }) {
    this.clock = clock
  }

  /** Until a range shows that it is quick. */
  has(worker: string): boolean {
    return this.tryAgainAt.has(worker)
  }

  /** Has been separate for long enough to be tried again. */
  isDue(worker: string): boolean {
    return (this.tryAgainAt.get(worker) ?? Number.POSITIVE_INFINITY) <= this.clock.monotonic()
  }

  /** From a range that several workers could share. */
  learn({ totals, dropped }: Pick<DeriveResult, "totals" | "dropped">): void {
    const tookMs = workingMs(totals)
    const again = this.clock.monotonic() + tryAgainMs
    for (const [worker, ms] of Object.entries(totals.byWorker)) {
      if (ms > slowMs && ms > tookMs * slowShare) this.tryAgainAt.set(worker, again)
      else this.tryAgainAt.delete(worker)
    }
    for (const { lease, reason } of dropped) {
      if (reason === "slow") this.tryAgainAt.set(lease.worker, again)
    }
  }
}

/** Without the waits of claim and commit: other processes cause those, and shorter ranges would add to them. */
export const workingMs = ({ readMs, extractMs, writeMs, foldMs }: DeriveResult["totals"]): number =>
  readMs + extractMs + writeMs + foldMs
