// Which workers a thread has found to be slow. They hold up whoever shares a range with them, so they go on by themselves, and are
// tried again now and then.

import type { Clock } from "../platform/clock.js"
import type { DeriveResult } from "./derive-group.js"

const tryAgainMs = 60_000
/** Slow is who takes this long in one range, and that is most of the range's time. */
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

  /** Has been apart for long enough to be looked at again. */
  isDue(worker: string): boolean {
    return (this.tryAgainAt.get(worker) ?? Number.POSITIVE_INFINITY) <= this.clock.monotonic()
  }

  /** Of those that a turn was open to. */
  learn({ totals, dropped }: Pick<DeriveResult, "totals" | "dropped">): void {
    const tookMs = workingMs(totals)
    const again = this.clock.monotonic() + tryAgainMs
    for (const [worker, ms] of Object.entries(totals.byWorker)) {
      if (ms > slowMs && ms > tookMs * slowShare) this.tryAgainAt.set(worker, again)
      else this.tryAgainAt.delete(worker)
    }
    for (const { lease, reason } of dropped) {
      if (reason === "slow") this.tryAgainAt.set(lease.workerType, again)
    }
  }
}

/** Without what it waited for its claim and its commit: that is the crowd's, and shorter ranges would only add to it. */
export const workingMs = ({ readMs, extractMs, writeMs, foldMs }: DeriveResult["totals"]): number =>
  readMs + extractMs + writeMs + foldMs
