// Adds up what an ingest thread does.

import type { Clock } from "../platform/clock.js"
import { codeOf, describeError } from "../platform/errors.js"
import type { IngestOutcome } from "../raw/range-ingester.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import type { FaultState } from "../status/process-state.js"
import { ThreadReporter } from "../threads/thread-reporter.js"
import type { IngestReport } from "./ingest-messages.js"

const announcedMax = 1_000

interface Counts {
  blocks: number
  transactions: number
  events: number
  encodedBytes: number
  sourceBytes: number
  ranges: number
  failures: Record<string, number>
  headDelays: number[]
}

const zero = (): Counts => ({
  blocks: 0,
  transactions: 0,
  events: 0,
  encodedBytes: 0,
  sourceBytes: 0,
  ranges: 0,
  failures: {},
  headDelays: [],
})

export class IngestReporter extends ThreadReporter {
  isFollowing: () => boolean = () => false
  private readonly post: (report: IngestReport) => void
  private readonly source: BlockSource
  private counts = zero()
  private lastFault: FaultState | null = null
  private lastStoredAtMs: number | null = null
  /** When each head was first heard of, by height. */
  private readonly announcedAt = new Map<number, number>()

  constructor({ clock, post, source }: { clock: Clock; post: (report: IngestReport) => void; source: BlockSource }) {
    super({ clock })
    this.post = post
    this.source = source
  }

  announced(head: ChainHead): void {
    if (!this.announcedAt.has(head.height)) this.announcedAt.set(head.height, this.clock.monotonic())
    if (this.announcedAt.size > announcedMax) this.announcedAt.delete(this.announcedAt.keys().next().value!)
  }

  outcome(outcome: IngestOutcome): void {
    if (outcome.kind === "done") {
      const { result: totals, range } = outcome
      const { counts } = this
      counts.ranges++
      counts.blocks += totals.blocks
      counts.transactions += totals.transactions
      counts.events += totals.events
      counts.encodedBytes += totals.encodedBytes
      counts.sourceBytes += totals.sourceBytes
      this.lastStoredAtMs = this.clock.now()
      this.lastFault = null
      for (let height = range.from; height < range.to; height++) this.stored(height)
    } else if (outcome.kind === "failed" && outcome.cause !== "shutdown") {
      const { error } = outcome
      const code = codeOf(error)
      this.counts.failures[code] = (this.counts.failures[code] ?? 0) + 1
      this.lastFault = { code, message: describeError(error), atMs: this.clock.now() }
    }
  }

  protected report(): void {
    const counts = this.counts
    this.counts = zero()
    this.post({
      type: "report",
      ...counts,
      rpc: this.source.takeCounters(),
      providers: this.source.providers(),
      following: this.isFollowing(),
      lastFault: this.lastFault,
      lastStoredAtMs: this.lastStoredAtMs,
    })
  }

  private stored(height: number): void {
    const at = this.announcedAt.get(height)
    if (at === undefined) return
    this.announcedAt.delete(height)
    this.counts.headDelays.push((this.clock.monotonic() - at) / 1_000)
  }
}
