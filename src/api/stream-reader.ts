// One open stream. It pulls from the feeds what it has not sent yet, as fast as its client reads: what is in memory for it
// is bounded by one page. A client that stops reading is cut off, told why, and can resume.

import type { ServerResponse } from "node:http"
import type { FeedEntry, OutboxFeed } from "../queries/outbox-feed.js"

/** Sequences by chain. */
export type StreamPositions = ReadonlyMap<string, number>

/** Why the server ended a stream. */
export const streamCloseCodes = ["SHUTDOWN", "TOO_SLOW"] as const
export type CloseCode = (typeof streamCloseCodes)[number]

export interface StreamReaderOptions {
  readonly response: ServerResponse
  /** Those it follows; one may be added later. */
  readonly feeds: () => readonly OutboxFeed[]
  /** What the client has read. A chain without one starts with what comes next. */
  readonly positions: StreamPositions
  readonly now: () => number
  /** Reads a page of a feed, not too many at a time. */
  readonly readPage: (feed: OutboxFeed, after: number) => Promise<readonly FeedEntry[]>
  readonly onClose: (code: CloseCode | undefined) => void
}

/** How long a client may leave its buffer full. */
const slowMs = 10_000
/** How long a position may be ahead of the store: a replica is late. */
const aheadMs = 5_000
/** What was written may still be read by then. */
const lingerMs = 5_000

const closeMessages: Readonly<Record<CloseCode, string>> = {
  SHUTDOWN: "the server stops; connect again",
  TOO_SLOW: "this client reads more slowly than the chain grows, and was cut off; connect again to resume",
}

export class StreamReader {
  private readonly positions: Map<string, number>
  /** Chains of which everything was sent once. */
  private readonly live = new Set<string>()
  private readonly catchingUp = new Set<string>()
  private readonly aheadSince = new Map<string, number>()
  private fullSince: number | undefined
  private closedAt: number | undefined

  constructor(private readonly options: StreamReaderOptions) {
    this.positions = new Map(options.positions)
    const { response } = options
    response.on("drain", () => {
      this.fullSince = undefined
      this.pump()
    })
    response.once("close", () => this.closed(undefined))
    // A reset by the client: `close` follows.
    response.on("error", () => undefined)
  }

  get isGone(): boolean {
    return this.options.response.destroyed
  }

  /** Sends what there is, until the client's buffer is full. */
  pump(): void {
    for (const feed of this.options.feeds()) {
      if (this.closedAt !== undefined || this.fullSince !== undefined) return
      if (feed.last !== undefined && !this.catchingUp.has(feed.chain)) this.send(feed, feed.last)
    }
  }

  /** Once a second. */
  tick(now: number): void {
    if (this.closedAt !== undefined) {
      if (now - this.closedAt > lingerMs) this.options.response.destroy()
    } else if (this.fullSince !== undefined && now - this.fullSince > slowMs) this.close("TOO_SLOW")
    else this.pump()
  }

  heartbeat(): void {
    if (this.closedAt === undefined && this.fullSince === undefined) this.write(": heartbeat\n\n")
  }

  /** Says why, behind what is buffered, and ends. */
  close(code: CloseCode): void {
    if (this.closedAt !== undefined) return
    this.closedAt = this.options.now()
    const data = JSON.stringify({ code, message: closeMessages[code] })
    this.options.response.end(`event: close\ndata: ${data}\n\n`)
    this.options.onClose(code)
  }

  private closed(code: CloseCode | undefined): void {
    if (this.closedAt === undefined) {
      this.closedAt = this.options.now()
      this.options.onClose(code)
    }
  }

  private send(feed: OutboxFeed, last: number): void {
    const { chain } = feed
    const at = this.positions.get(chain)
    if (at === undefined) {
      this.positions.set(chain, last)
      // Without data it is no event: a client that reconnects before the first one knows its place.
      this.write(`id: ${this.id()}\n\n`)
    } else if (at > last) this.waitFor(feed, last)
    else if (at < feed.pruned) this.reset(feed, { last, reason: "PRUNED" })
    else this.sendAfter(feed, at)
  }

  private sendAfter(feed: OutboxFeed, at: number): void {
    const entries = feed.after(at)
    if (entries) {
      this.aheadSince.delete(feed.chain)
      this.live.add(feed.chain)
      for (const entry of entries) if (!this.sendEntry(feed, entry)) return
    } else if (this.live.has(feed.chain)) this.close("TOO_SLOW")
    else void this.catchUp(feed, at)
  }

  private async catchUp(feed: OutboxFeed, at: number): Promise<void> {
    this.catchingUp.add(feed.chain)
    try {
      const entries = await this.options.readPage(feed, at)
      // A page is small enough to be written as a whole.
      if (this.closedAt === undefined) for (const entry of entries) this.sendEntry(feed, entry)
      // Nothing: the database is unavailable, and the next tick asks again.
      if (entries.length === 0 && at >= feed.pruned) return
    } finally {
      this.catchingUp.delete(feed.chain)
    }
    this.pump()
  }

  /** False when the client's buffer is full. */
  private sendEntry({ chain }: OutboxFeed, { sequence, text }: FeedEntry): boolean {
    this.positions.set(chain, sequence)
    return this.write(`id: ${this.id()}\n${text}`)
  }

  /** The store does not know this position: it is a late replica, or another store than the one that gave it. */
  private waitFor(feed: OutboxFeed, last: number): void {
    const now = this.options.now()
    const since = this.aheadSince.get(feed.chain) ?? now
    this.aheadSince.set(feed.chain, since)
    if (now - since > aheadMs) this.reset(feed, { last, reason: "UNKNOWN" })
  }

  /** Tells the client that it missed something: it reads the present state and goes on from here. */
  private reset(
    { chain, pruned }: OutboxFeed,
    { last, reason }: { last: number; reason: "PRUNED" | "UNKNOWN" },
  ): void {
    this.aheadSince.delete(chain)
    this.positions.set(chain, last)
    const data = { code: "RESET", reason, chain, oldest_id: `${chain}:${pruned}` }
    this.write(`id: ${this.id()}\nevent: reset\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Of every chain in the stream, so that one id resumes all of them; by name, whichever was read first. */
  private id(): string {
    return [...this.positions]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([chain, sequence]) => `${chain}:${sequence}`)
      .join(",")
  }

  private write(text: string): boolean {
    const fits = this.options.response.write(text)
    if (!fits) this.fullSince ??= this.options.now()
    return fits
  }
}
