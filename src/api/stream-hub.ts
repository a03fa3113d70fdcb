// All open streams of the process: their number is bounded, they share the feeds and a clock for heartbeats, and they are
// ended explicitly at shutdown, so that clients reconnect at once.

import type { ServerResponse } from "node:http"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import type { StreamMetrics } from "../platform/metrics.js"
import type { FeedEntry, OutboxFeed } from "../queries/outbox-feed.js"
import { RequestError } from "../queries/request-error.js"
import { type StreamPositions, StreamReader } from "./stream-reader.js"

export interface StreamHubOptions {
  readonly feeds: () => readonly OutboxFeed[]
  readonly maxStreams: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: StreamMetrics
  readonly heartbeatMs?: number
}

const tickMs = 1_000
/** Pages read at a time for clients that have been away: the pool is for other requests too. */
const pagesAtOnce = 2
/** Chains are opened one after the other at the start; a client that reconnects at once must not be refused. */
const startingMs = 60_000
const chainWaitMs = 10_000
const chainPollMs = 100

export class StreamHub {
  private readonly readers = new Set<StreamReader>()
  private readonly lingering = new Set<StreamReader>()
  private readonly stopping = new AbortController()
  private readonly pages: (() => void)[] = []
  private pagesRead = 0
  private unlisten: (() => void)[] = []
  private listened: readonly OutboxFeed[] = []
  private readonly startedAt: number
  private ticking: Promise<void> | undefined

  constructor(private readonly options: StreamHubOptions) {
    this.startedAt = options.clock.monotonic()
  }

  /** Throws NOT_FOUND, and TOO_MANY_STREAMS where the limit is reached. */
  async open(options: {
    readonly chain: string | undefined
    readonly positions: StreamPositions
    /** Sends the headers. */
    readonly start: () => ServerResponse
  }): Promise<void> {
    const { chain, positions, start } = options
    if (chain !== undefined) await this.waitForChain(chain)
    const { clock, maxStreams, metrics } = this.options
    if (this.readers.size >= maxStreams) {
      metrics.refused.inc()
      throw new RequestError("TOO_MANY_STREAMS", `this process serves at most ${maxStreams} streams: try again later`)
    }
    const response = start()
    // The client has gone while it waited.
    if (response.destroyed) return
    const reader: StreamReader = new StreamReader({
      response,
      feeds: () => this.options.feeds().filter((feed) => chain === undefined || feed.chain === chain),
      positions,
      now: () => clock.monotonic(),
      readPage: (feed, after) => this.readPage(feed, after),
      onClose: (code) => {
        this.readers.delete(reader)
        metrics.open.set(this.readers.size)
        if (code === undefined) return
        this.lingering.add(reader)
        if (code === "TOO_SLOW") metrics.cut.inc()
      },
    })
    this.ticking ??= this.tick()
    this.readers.add(reader)
    metrics.open.set(this.readers.size)
    this.listenToAll()
    reader.pump()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    for (const reader of [...this.readers]) reader.close("SHUTDOWN")
    await this.ticking
    for (const stop of this.unlisten) stop()
  }

  private async waitForChain(chain: string): Promise<void> {
    const { clock, feeds } = this.options
    const until = Math.min(this.startedAt + startingMs, clock.monotonic() + chainWaitMs)
    while (!feeds().some((feed) => feed.chain === chain)) {
      if (clock.monotonic() >= until || this.stopping.signal.aborted)
        throw new RequestError("NOT_FOUND", "this process serves no chain of that name: see /v1/chains")
      await clock.sleep(chainPollMs, this.stopping.signal)
    }
  }

  /** One listener for each feed, whatever the number of readers; none while there are no readers. */
  private listenToAll(): void {
    const feeds = this.readers.size > 0 ? this.options.feeds() : []
    if (feeds.length === this.listened.length) return
    for (const stop of this.unlisten) stop()
    this.listened = [...feeds]
    this.unlisten = feeds.map((feed) =>
      feed.listen(() => {
        for (const reader of this.readers) reader.pump()
      }),
    )
  }

  private async tick(): Promise<void> {
    const { clock, heartbeatMs = 15_000 } = this.options
    const { signal } = this.stopping
    let beatAt = clock.monotonic()
    while (!signal.aborted) {
      await clock.sleep(tickMs, signal)
      const now = clock.monotonic()
      this.listenToAll()
      for (const reader of [...this.readers, ...this.lingering]) reader.tick(now)
      for (const reader of this.lingering) if (reader.isGone) this.lingering.delete(reader)
      if (now - beatAt < heartbeatMs) continue
      beatAt = now
      for (const reader of this.readers) reader.heartbeat()
    }
  }

  private async readPage(feed: OutboxFeed, after: number): Promise<readonly FeedEntry[]> {
    if (this.pagesRead >= pagesAtOnce) await new Promise<void>((resolve) => this.pages.push(resolve))
    this.pagesRead++
    try {
      return await feed.page(after)
    } catch (error) {
      // The database is unavailable; the reader asks again with the next tick.
      this.options.logger.debug({ error, chain: feed.chain }, "a page of the stream could not be read")
      return []
    } finally {
      this.pagesRead--
      this.pages.shift()?.()
    }
  }
}
