// Adds up what a thread does and posts the sums to the process a few times a second.

import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { IngestOutcome } from "../raw/range-ingester.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import type { FaultState } from "../status/process-state.js"
import type { FromThread } from "./ingest-messages.js"

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

export class ThreadReporter extends LoopingService {
  isFollowing: () => boolean = () => false
  private readonly post: (message: FromThread) => void
  private readonly source: BlockSource
  private counts = zero()
  private lastFault: FaultState | null = null
  private lastStoredAtMs: number | null = null
  /** When each head was first heard of, by height. */
  private readonly announcedAt = new Map<number, number>()

  constructor({
    clock,
    post,
    source,
  }: { clock: Clock; post: (message: FromThread) => void; source: BlockSource }) {
    super({ name: "thread-reporter", clock, logger: silentLogger, intervalMs: 500 })
    this.post = post
    this.source = source
  }

  announced(head: ChainHead): void {
    if (!this.announcedAt.has(head.height)) this.announcedAt.set(head.height, this.clock.monotonic())
    if (this.announcedAt.size > announcedMax) this.announcedAt.delete(this.announcedAt.keys().next().value!)
  }

  head(head: ChainHead): void {
    this.announced(head)
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
      const code = error instanceof IndexerError ? error.code : "BUG"
      this.counts.failures[code] = (this.counts.failures[code] ?? 0) + 1
      this.lastFault = { code, message: describeError(error), atMs: this.clock.now() }
    }
  }

  async runOnce(): Promise<undefined> {
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
    return undefined
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.runOnce()
  }

  private stored(height: number): void {
    const at = this.announcedAt.get(height)
    if (at === undefined) return
    this.announcedAt.delete(height)
    this.counts.headDelays.push((this.clock.monotonic() - at) / 1_000)
  }
}
