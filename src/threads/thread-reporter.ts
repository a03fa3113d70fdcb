// Reports to the process what a thread has done, twice a second and when it stops.

import type { Clock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"

export abstract class ThreadReporter extends LoopingService {
  constructor({ clock }: { clock: Clock }) {
    super({ name: "thread-reporter", clock, logger: silentLogger, intervalMs: 500 })
  }

  protected abstract report(): void

  async runOnce(): Promise<undefined> {
    this.report()
  }

  override async stop(): Promise<void> {
    await super.stop()
    this.report()
  }
}
