// Counts what a work thread does.

import type { DeadBlock } from "../coordination/dead-block.js"
import { WorkerFault } from "../coordination/worker-fault.js"
import type { Clock } from "../platform/clock.js"
import { ThreadReporter } from "../threads/thread-reporter.js"
import type { DeriveOutcome } from "../workers/range-deriver.js"
import type { WorkReport } from "./work-messages.js"

const zero = () => ({
  workers: {} as Record<string, { ranges: number; blocks: number; extractMs: number }>,
  faults: {} as Record<string, number>,
  dead: {} as Record<string, number>,
  rows: 0,
  bytes: 0,
  readMs: 0,
  extractMs: 0,
  writeMs: 0,
  foldMs: 0,
})

const summed = ["rows", "bytes", "readMs", "extractMs", "writeMs", "foldMs"] as const

export class WorkReporter extends ThreadReporter {
  private readonly send: (report: WorkReport) => void
  private counts = zero()

  constructor({ clock, send }: { clock: Clock; send: (report: WorkReport) => void }) {
    super({ clock })
    this.send = send
  }

  outcome(outcome: DeriveOutcome): void {
    const { counts } = this
    if (outcome.kind === "idle") return
    if (outcome.kind === "failed") {
      if (outcome.error instanceof WorkerFault) this.fault(outcome.error)
      return
    }
    const { committed, dropped, totals } = outcome.result
    for (const { fault } of dropped) if (fault) this.fault(fault)
    for (const { worker, range } of committed) {
      counts.workers[worker] ??= { ranges: 0, blocks: 0, extractMs: 0 }
      const own = counts.workers[worker]
      own.ranges++
      own.blocks += range.to - range.from
      own.extractMs += totals.byWorker[worker] ?? 0
    }
    for (const key of summed) counts[key] += totals[key]
  }

  /** Reported at once: another worker may be about to have the thread ended. */
  dead({ worker }: DeadBlock): void {
    this.counts.dead[worker] = (this.counts.dead[worker] ?? 0) + 1
    this.report()
  }

  private fault({ worker }: WorkerFault): void {
    this.counts.faults[worker] = (this.counts.faults[worker] ?? 0) + 1
  }

  protected report(): void {
    const { counts } = this
    if ([counts.workers, counts.faults, counts.dead].every((one) => Object.keys(one).length === 0)) return
    this.counts = zero()
    this.send({ type: "report", ...counts })
  }
}
