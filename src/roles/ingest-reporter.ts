// Counts what an ingest thread does.

import type { DeadBlock } from "../coordination/dead-block.js"
import type { Clock } from "../platform/clock.js"
import { codeOf, describeError } from "../platform/errors.js"
import type { IngestOutcome } from "../raw/range-ingester.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import type { FaultState } from "../status/process-state.js"
import { ThreadReporter } from "../threads/thread-reporter.js"
import { AnnouncedHeads } from "./announced-heads.js"
import type { IngestReport } from "./ingest-messages.js"

const zero = () => ({
  blocks: 0,
  transactions: 0,
  events: 0,
  encodedBytes: 0,
  sourceBytes: 0,
  ranges: 0,
  failures: {} as Record<string, number>,
  dead: {} as Record<string, number>,
  headDelays: [] as number[],
})

const summed = ["blocks", "transactions", "events", "encodedBytes", "sourceBytes"] as const

export class IngestReporter extends ThreadReporter {
  isFollowing: () => boolean = () => false
  private readonly send: (report: IngestReport) => void
  private readonly source: BlockSource
  private counts = zero()
  private lastFault: FaultState | null = null
  private lastStoredAtMs: number | null = null
  private readonly heads = new AnnouncedHeads()

  constructor({ clock, send, source }: { clock: Clock; send: (report: IngestReport) => void; source: BlockSource }) {
    super({ clock })
    this.send = send
    this.source = source
  }

  announced(head: ChainHead): void {
    this.heads.add({ height: head.height, at: this.clock.monotonic() })
  }

  outcome(outcome: IngestOutcome): void {
    if (outcome.kind === "done") {
      const { result: totals, range } = outcome
      const { counts } = this
      counts.ranges++
      for (const key of summed) counts[key] += totals[key]
      counts.headDelays.push(...this.heads.delays({ ...range, at: this.clock.monotonic() }))
      this.lastStoredAtMs = this.clock.now()
      this.lastFault = null
    } else if (outcome.kind === "failed" && outcome.cause !== "shutdown") {
      const { error, cause } = outcome
      const code = cause === "bug" ? "BUG" : codeOf(error)
      this.counts.failures[code] = (this.counts.failures[code] ?? 0) + 1
      this.lastFault = { code, message: describeError(error), atMs: this.clock.now() }
    }
  }

  /** Reported at once: another worker may be about to have the thread ended. */
  dead({ worker }: DeadBlock): void {
    this.counts.dead[worker] = (this.counts.dead[worker] ?? 0) + 1
    this.report()
  }

  protected report(): void {
    const counts = this.counts
    this.counts = zero()
    this.send({
      type: "report",
      ...counts,
      rpc: this.source.takeCounters(),
      providers: this.source.providers(),
      following: this.isFollowing(),
      lastFault: this.lastFault,
      lastStoredAtMs: this.lastStoredAtMs,
    })
  }
}
