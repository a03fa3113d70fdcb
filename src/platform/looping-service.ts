// A service that runs one duty again and again until it is stopped. A fault of one run is told and waited out, never the
// end of the service; how long to wait is decided here and nowhere else.

import type { Clock } from "./clock.js"
import { codeOf, describeError } from "./errors.js"
import type { Logger } from "./logger.js"
import type { Random } from "./random.js"
import type { Service } from "./service.js"

export interface LoopOptions {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  readonly intervalMs: number
  /** The longest wait after faults; they double from the interval up to it. */
  readonly maxBackoffMs?: number
  /** Takes up to half off the wait after a fault, so that a crowd does not come back as one. */
  readonly random?: Random
}

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

  /** One turn. Returns how long to wait for the next one, if not the usual interval. */
  abstract runOnce(signal: AbortSignal): Promise<number | undefined>

  start(): void {
    this.running ??= this.loop()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.waking.abort()
    await this.running
  }

  /** Cuts the present wait short; during a turn, the one that would follow it. */
  wake(): void {
    this.waking.abort()
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      // Before the turn: what it has looked at already may be what somebody wakes it for.
      if (this.waking.signal.aborted) this.waking = new AbortController()
      const waitMs = await this.turn(signal)
      if (signal.aborted) return
      // Stopping cuts the wait short too.
      await this.clock.sleep(waitMs, this.waking.signal)
    }
  }

  private async turn(signal: AbortSignal): Promise<number> {
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
      // Told at the first fault and then ever more rarely: an outage must not fill the disk with itself.
      const isTold = (this.faults & (this.faults - 1)) === 0
      this.logger[!isTold ? "debug" : code === "BUG" ? "error" : "warn"](
        fields,
        `${this.name} failed, trying again`,
      )
      const wait = Math.min(this.maxBackoffMs, this.intervalMs * 2 ** Math.min(this.faults - 1, 10))
      return wait * (1 - (this.random?.next() ?? 0) / 2)
    }
  }
}
