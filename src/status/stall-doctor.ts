// Watches one chain: reads its status every few seconds, keeps the last one, and says aloud when a stall begins, changes
// its cause or is over. Nothing stops silently, and nothing is said twice.

import type { Clock } from "../platform/clock.js"
import { describeError, isIndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ChainStatus } from "./chain-status.js"
import { diagnose, openWork } from "./diagnose.js"
import { type Diagnosis, databaseAway, notYetKnown } from "./diagnosis.js"

export interface StallDoctorOptions {
  readonly chain: string
  readonly read: () => Promise<ChainStatus>
  readonly clock: Clock
  readonly logger: Logger
  readonly stallAfterMs: number
  readonly intervalMs?: number
  /** After every look; the status is undefined while the database is away. For metrics. */
  readonly onLook?: (diagnosis: Diagnosis, status: ChainStatus | undefined) => void
}

export class StallDoctor extends LoopingService {
  private readonly options: StallDoctorOptions
  private current: Diagnosis = notYetKnown
  private last: ChainStatus | undefined
  private workSince: number | undefined

  constructor(options: StallDoctorOptions) {
    super({
      name: "stall-doctor",
      clock: options.clock,
      logger: options.logger.child({ chain: options.chain }),
      intervalMs: options.intervalMs ?? 2_000,
    })
    this.options = options
  }

  diagnosis(): Diagnosis {
    return this.current
  }

  /** As last read; it may be from before the database went away. */
  lastStatus(): ChainStatus | undefined {
    return this.last
  }

  /** For the process's own row, so that the CLI knows since when there has been work. */
  workForMs(): number | null {
    return this.workSince === undefined ? null : Math.round(this.clock.monotonic() - this.workSince)
  }

  async runOnce(): Promise<undefined> {
    const status = await this.look()
    if (status) this.watchWork(status)
    const diagnosis = status
      ? diagnose(status, {
          stallAfterMs: this.options.stallAfterMs,
          workForMs: this.workForMs(),
        })
      : this.current
    this.tell(diagnosis)
    this.current = diagnosis
    this.options.onLook?.(diagnosis, status)
    return undefined
  }

  private async look(): Promise<ChainStatus | undefined> {
    try {
      this.last = await this.options.read()
      return this.last
    } catch (error) {
      if (!isIndexerError(error) || error.action === "stop") throw error
      const away = databaseAway(describeError(error))
      this.tell(away)
      this.current = away
      return undefined
    }
  }

  private watchWork(status: ChainStatus): void {
    if (openWork(status) === 0) this.workSince = undefined
    else this.workSince ??= this.clock.monotonic()
  }

  private tell(next: Diagnosis): void {
    const before = this.current
    if (before.state === next.state && before.cause === next.cause) return
    const { state, cause, message, doing, todo } = next
    const fields = { state, cause, ...(doing ? { doing } : {}), ...(todo ? { todo } : {}) }
    if (cause) this.logger.warn(fields, message)
    else if (before.cause) this.logger.info({ state, over: before.cause }, `over: ${message}`)
  }
}
