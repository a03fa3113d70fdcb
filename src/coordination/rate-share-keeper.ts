// Holds this process's share of a limit. It uses less before it tells the others so, and more only once it holds more, so
// the sum never exceeds the limit. A share that could not be renewed in time is given up: others may have taken it.

import { describeError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import { fairShare, type RateShares } from "./rate-shares.js"

interface RateUse {
  /** Calls since the last look. */
  readonly calls: number
  /** Requests had to wait because of the share. */
  readonly waited: boolean
}

export interface RateShareKeeperOptions extends ServiceDeps {
  readonly shares: RateShares
  readonly processId: string
  /** Calls a second of all processes together. */
  readonly limit: number
  readonly takeUse: () => RateUse
  /** Called with calls a second, before others may use what this process gives up. */
  readonly apply: (callsPerSecond: number) => void
  readonly intervalMs?: number
  readonly leaseMs?: number
}

/** Of a process whose share has run out, as of one that holds none yet. */
const withoutShare = 1
/** A process that does not wait may soon need this many times as much as it uses. */
const headroom = 1.5

export class RateShareKeeper extends LoopingService {
  readonly #options: RateShareKeeperOptions
  #share: number | undefined
  #lookedAt: number
  #renewed = new AbortController()

  constructor(options: RateShareKeeperOptions) {
    super({ name: "rate-share-keeper", intervalMs: options.intervalMs ?? 2_000, maxBackoffMs: 4_000, ...options })
    this.#options = options
    this.#lookedAt = options.clock.monotonic()
  }

  async runOnce(): Promise<undefined> {
    const { shares, processId, limit, leaseMs = 6_000 } = this.#options
    const wanted = this.#wanted()
    const others = await shares.others(processId)
    const callsPerSecond = fairShare(
      limit,
      wanted,
      others.map((other) => other.wanted),
    )
    if (this.#share !== undefined && callsPerSecond < this.#share) this.#apply(callsPerSecond)
    const sentAt = this.#options.clock.monotonic()
    this.#apply(await shares.hold({ processId, limit, callsPerSecond, wanted, leaseMs }))
    // Counted from when the request was sent, so a slow answer cannot lengthen the lease.
    this.#endAt(sentAt + leaseMs)
  }

  override async stop(): Promise<void> {
    await super.stop()
    this.#renewed.abort()
    if (this.#share === undefined) return
    this.#apply(0)
    try {
      await this.#options.shares.giveBack(this.#options.processId)
    } catch (error) {
      // It expires.
      this.logger.debug({ error: describeError(error) }, "the share of the rate limit was left behind")
    }
  }

  /** By a timer of its own: a database that is silent keeps a renewal waiting for longer than the lease lasts. */
  #endAt(end: number): void {
    this.#renewed.abort()
    this.#renewed = new AbortController()
    const { signal } = this.#renewed
    void this.clock.sleep(Math.max(0, end - this.clock.monotonic()), signal).then(() => {
      if (signal.aborted) return
      this.#apply(Math.min(withoutShare, this.#share ?? 0))
      this.logger.warn({}, "the share of the rate limit could not be renewed; others may have taken it")
    })
  }

  #apply(callsPerSecond: number): void {
    this.#share = callsPerSecond
    this.#options.apply(callsPerSecond)
  }

  #wanted(): number {
    const { clock, limit, takeUse } = this.#options
    const now = clock.monotonic()
    const seconds = (now - this.#lookedAt) / 1_000
    this.#lookedAt = now
    const { calls, waited } = takeUse()
    if (waited || seconds <= 0) return limit
    return Math.min(limit, (headroom * calls) / seconds)
  }
}
