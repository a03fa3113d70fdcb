// Finishes rollbacks that their process left open, and detects when one of the two databases went back. Runs every
// second in every process that ingests, and once before that process stores anything.

import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import { alignStores } from "./align-stores.js"
import { finishRollback } from "./finish-rollback.js"
import type { RollbackDeps } from "./rollback-deps.js"

export class RollbackFinisher extends LoopingService {
  private readonly deps: RollbackDeps

  constructor(options: RollbackDeps & Omit<LoopOptions, "name">) {
    // After a failover raw stores nothing before this has run, so it retries soon after an outage.
    super({ name: "rollback-finisher", maxBackoffMs: 2_000, ...options })
    this.deps = options
  }

  async runOnce(): Promise<undefined> {
    const finished = await finishRollback(this.deps)
    if (finished) this.logger.info({ from: finished.from, epoch: finished.epoch }, "a rollback was finished")
    const outcome = await alignStores(this.deps)
    if (outcome === "app-went-back" || outcome === "raw-went-back") {
      const database = outcome === "app-went-back" ? "app" : "raw"
      this.logger.warn(
        { outcome },
        `the ${database} database went back (a restore, or a failover that lost commits): ` +
          "what no longer matches is rolled back and derived again",
      )
    }
  }
}
