// Fails expired leases every few seconds, in the process that wins the election.

import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { LeaseStore, ReapOutcome } from "./lease-store.js"

export class LeaseReaper extends LoopingService {
  private readonly reap: () => Promise<ReapOutcome>
  private readonly onReaped: (outcome: ReapOutcome) => void

  constructor(options: {
    leases: Pick<LeaseStore, "reap">
    clock: Clock
    logger: Logger
    intervalMs: number
    onReaped?: (outcome: ReapOutcome) => void
  }) {
    super({ name: "lease-reaper", ...options })
    this.reap = () => options.leases.reap()
    this.onReaped = options.onReaped ?? (() => undefined)
  }

  async runOnce(): Promise<undefined> {
    const outcome = await this.reap()
    if (outcome.expired > 0) this.logger.info({ ...outcome }, "expired leases are free again")
    if (outcome.dead > 0) {
      this.logger.fatal({ ...outcome }, "a block is DEAD: see `tidemark leases list`, then retry or skip it")
    }
    this.onReaped(outcome)
    return undefined
  }
}
