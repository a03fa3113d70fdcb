// Watches one chain: reads its status every few seconds, keeps the last one, and logs when a stall begins, changes its
// cause or ends. Every change is logged exactly once.

import { describeError, isIndexerError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import type { ChainStatus } from "./chain-status.js"
import { diagnose, openWork } from "./diagnose.js"
import { type Diagnosis, databaseUnreachable, notYetKnown } from "./diagnosis.js"

export interface StallDoctorOptions extends ServiceDeps {
  readonly chain: string
  readonly read: () => Promise<ChainStatus>
  readonly stallAfterMs: number
  readonly intervalMs?: number
  /** After every run; the status is undefined while the database is unavailable. For metrics. */
  readonly onDiagnosis?: (diagnosis: Diagnosis, status: ChainStatus | undefined) => void
}

export class StallDoctor extends LoopingService {
  private current: Diagnosis = notYetKnown
  private last: ChainStatus | undefined
  private workSince: number | undefined

  constructor(private readonly options: StallDoctorOptions) {
    super({
      name: "stall-doctor",
      clock: options.clock,
      logger: options.logger.child({ chain: options.chain }),
      intervalMs: options.intervalMs ?? 2_000,
    })
  }

  diagnosis(): Diagnosis {
    return this.current
  }

  /** As last read; it may be from before an outage of the database. */
  lastStatus(): ChainStatus | undefined {
    return this.last
  }

  /** For the process's own row, so that the CLI knows how long there has been work. */
  workForMs(): number | null {
    return this.workSince === undefined ? null : Math.round(this.clock.monotonic() - this.workSince)
  }

  async runOnce(): Promise<undefined> {
    let status: ChainStatus | undefined
    let diagnosis: Diagnosis
    try {
      status = await this.options.read()
      this.last = status
      this.watchWork(status)
      diagnosis = diagnose(status, { stallAfterMs: this.options.stallAfterMs, workForMs: this.workForMs() })
    } catch (error) {
      if (!isIndexerError(error) || error.action === "stop") throw error
      diagnosis = databaseUnreachable(describeError(error))
    }
    this.logChange(diagnosis)
    this.current = diagnosis
    this.options.onDiagnosis?.(diagnosis, status)
  }

  private watchWork(status: ChainStatus): void {
    if (openWork(status) === 0) this.workSince = undefined
    else this.workSince ??= this.clock.monotonic()
  }

  private logChange(next: Diagnosis): void {
    const before = this.current
    if (before.state === next.state && before.cause === next.cause) return
    const { state, cause, message, doing, todo } = next
    const fields = { state, cause, ...(doing ? { doing } : {}), ...(todo ? { todo } : {}) }
    if (cause) this.logger.warn(fields, message)
    else if (before.cause) this.logger.info({ state, over: before.cause }, `over: ${message}`)
  }
}
