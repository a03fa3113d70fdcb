// A service that repeats one duty until it is stopped. A failed run is logged and retried; it never ends the service.
// The wait before a retry is decided only here. A bug is reported every time and retried after a minute.

import type { Clock } from "./clock.js"
import { codeOf, describeError } from "./errors.js"
import type { Logger } from "./logger.js"
import type { Random } from "./random.js"
import type { Service, ServiceDeps } from "./service.js"

export interface LoopOptions extends ServiceDeps {
  readonly name: string
  readonly intervalMs: number
  /** The longest wait after a fault. Waits double from the interval up to it. */
  readonly maxBackoffMs?: number
  /** Shortens the wait after a fault by up to half, so that services do not retry at the same time. */
  readonly random?: Random
}

const bugWaitMs = 60_000
/** A database that is back has to be noticed soon: nothing else can go on, and several services follow one another. */
const longestOutageWaitMs = 2_000

export abstract class LoopingService implements Service {
  readonly name: string
  protected readonly clock: Clock
  protected readonly logger: Logger
  private readonly intervalMs: number
  private readonly maxBackoffMs: number
  private readonly random: Random | undefined
  private readonly stopping = new AbortController()
  private running: Promise<void> | undefined
  private waking = new AbortController()
  private faults = 0

  constructor(options: LoopOptions) {
    this.name = options.name
    this.clock = options.clock
    this.logger = options.logger.child({ service: options.name })
    this.intervalMs = options.intervalMs
    this.random = options.random
    this.maxBackoffMs = options.maxBackoffMs ?? Math.max(10_000, options.intervalMs)
  }

  /** Returns the wait before the next run, if it is not the interval. */
  abstract runOnce(signal: AbortSignal): Promise<number | undefined>

  start(): void {
    this.running ??= this.loop()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.waking.abort()
    await this.running
  }

  /** Ends the current wait; during a run, the wait after it. */
  wake(): void {
    this.waking.abort()
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      // Before the run: a wake during the run may be about something that it has already read.
      if (this.waking.signal.aborted) this.waking = new AbortController()
      const waitMs = await this.runSafely(signal)
      if (signal.aborted) return
      // `stop` ends the wait too.
      await this.clock.sleep(waitMs, this.waking.signal)
    }
  }

  private async runSafely(signal: AbortSignal): Promise<number> {
    try {
      const waitMs = await this.runOnce(signal)
      if (this.faults > 0) this.logger.info({ faults: this.faults }, `${this.name} works again`)
      this.faults = 0
      return waitMs ?? this.intervalMs
    } catch (error) {
      if (signal.aborted) return 0
      this.faults++
      const code = codeOf(error)
      const fields = { error: describeError(error), code, faults: this.faults }
      if (code === "BUG") {
        const stack = error instanceof Error ? error.stack : undefined
        this.logger.error({ ...fields, stack }, `a bug in ${this.name}, trying again in a minute; please report it`)
        // Nothing else ends this wait: a service that is woken often would retry, and log, as often.
        await this.clock.sleep(bugWaitMs, signal)
        return 0
      }
      // Faults 1, 2, 4, 8, …: an outage must not fill the disk with log lines.
      const isShown = (this.faults & (this.faults - 1)) === 0
      this.logger[isShown ? "warn" : "debug"](fields, `${this.name} failed, trying again`)
      const longest =
        code === "DATABASE_UNREACHABLE" ? Math.min(longestOutageWaitMs, this.maxBackoffMs) : this.maxBackoffMs
      const wait = Math.min(longest, this.intervalMs * 2 ** Math.min(this.faults - 1, 10))
      return wait * (1 - (this.random?.next() ?? 0) / 2)
    }
  }
}
