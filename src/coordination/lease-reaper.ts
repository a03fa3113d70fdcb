// Fails expired leases every few seconds, in the process that wins the election.

import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { LeaseStore, ReapOutcome } from "./lease-store.js"

interface LeaseReaperOptions extends Omit<LoopOptions, "name"> {
  readonly leases: Pick<LeaseStore, "reap">
  readonly onReaped?: (outcome: ReapOutcome) => void | Promise<void>
}

export class LeaseReaper extends LoopingService {
  constructor(private readonly options: LeaseReaperOptions) {
    super({ name: "lease-reaper", ...options })
  }

  async runOnce(): Promise<undefined> {
    const outcome = await this.options.leases.reap()
    if (outcome.expired > 0) this.logger.info({ ...outcome }, "expired leases are free again")
    await this.options.onReaped?.(outcome)
  }
}
