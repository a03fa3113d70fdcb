// Which workers of a thread are slow. They hold up whoever shares a range with them, and at the tip everybody, so they go on by
// themselves for a while, in lanes of history.

import type { Clock } from "../platform/clock.js"
import type { DeriveResult } from "./derive-group.js"

/** After this it is tried with the others again. */
const apartMs = 60_000
/** Slow is who takes this long in one range, and that is most of the range's time. */
const slowMs = 250
const slowShare = 0.6

export class SlowWorkers {
  private readonly apartUntil = new Map<string, number>()
  private readonly clock: Pick<Clock, "monotonic">

  constructor({ clock }: { clock: Pick<Clock, "monotonic"> }) {
    this.clock = clock
  }

  has(worker: string): boolean {
    return (this.apartUntil.get(worker) ?? Number.NEGATIVE_INFINITY) > this.clock.monotonic()
  }

  /** From a turn that was open to several, whoever had something to do in it. */
  learn({ totals, dropped }: Pick<DeriveResult, "totals" | "dropped">): void {
    const tookMs = workingMs(totals)
    for (const [worker, ms] of Object.entries(totals.byWorker)) {
      if (ms > slowMs && ms > tookMs * slowShare) this.setApart(worker)
    }
    for (const { lease, reason } of dropped) if (reason === "slow") this.setApart(lease.workerType)
  }

  private setApart(worker: string): void {
    this.apartUntil.set(worker, this.clock.monotonic() + apartMs)
  }
}

/** Without what it waited for its claim and its commit: that is the crowd's, and shorter ranges would only add to it. */
export const workingMs = ({ readMs, extractMs, writeMs, foldMs }: DeriveResult["totals"]): number =>
  readMs + extractMs + writeMs + foldMs
