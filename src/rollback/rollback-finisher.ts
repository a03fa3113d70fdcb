// Finishes a rollback that its process did not, and notices when one of the two databases went back: looks every second, in
// every process that ingests, and before that process stores anything.

import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Queryable } from "../postgres/transaction.js"
import { alignStores } from "./align-stores.js"
import { finishRollback, type RollbackDeps } from "./finish-rollback.js"

export class RollbackFinisher extends LoopingService {
  private readonly deps: RollbackDeps<Queryable>

  constructor(options: RollbackDeps<Queryable> & { clock: Clock; logger: Logger; intervalMs: number }) {
    // Raw stores nothing after a failover before this has looked, so it is back soon after an outage.
    super({ name: "rollback-finisher", maxBackoffMs: 2_000, ...options })
    this.deps = options
  }

  async runOnce(): Promise<undefined> {
    const finished = await finishRollback(this.deps)
    if (finished) this.logger.info({ from: finished.from, epoch: finished.epoch }, "a rollback was finished")
    const outcome = await alignStores(this.deps)
    if (outcome === "app-went-back" || outcome === "raw-went-back") {
      this.logger.warn(
        { outcome },
        `the ${outcome === "app-went-back" ? "app" : "raw"} database went back (a restore, or a failover with a loss): what no longer fits is taken back and derived anew`,
      )
    }
    return undefined
  }
}
