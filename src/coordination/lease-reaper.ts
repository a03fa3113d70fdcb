// Fails expired leases every few seconds, in the process that wins the election.

import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { LeaseStore, ReapOutcome } from "./lease-store.js"

interface LeaseReaperOptions extends Omit<LoopOptions, "name"> {
  readonly leases: Pick<LeaseStore, "reap">
  readonly onReaped?: (outcome: ReapOutcome) => void | Promise<void>
}

export class LeaseReaper extends LoopingService {
  private isToldOfRights = false

  constructor(private readonly options: LeaseReaperOptions) {
    super({ name: "lease-reaper", ...options })
  }

  async runOnce(): Promise<undefined> {
    const outcome = await this.options.leases.reap()
    if (outcome.expired > 0) this.logger.info({ ...outcome }, "expired leases are free again")
    this.reportRights(outcome)
    await this.options.onReaped?.(outcome)
  }

  /** Once: it needs a person, and returns with every holder that stops. */
  private reportRights({ holdersLeft }: ReapOutcome): void {
    if (holdersLeft === 0 || this.isToldOfRights) return
    this.isToldOfRights = true
    this.logger.warn(
      { sessions: holdersLeft, code: "HOLDER_LEFT" },
      "the database role may not end sessions that hold expired leases. Their leases pass on, and nothing of theirs can be " +
        "committed; but what they have locked stays locked until they end. Let all processes use one role, or grant it " +
        "pg_signal_backend",
    )
  }
}
