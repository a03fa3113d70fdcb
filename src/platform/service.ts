// The lifecycle of a background service: start, stop, and a runOnce that tests call directly.

import type { Clock } from "./clock.js"
import type { Logger } from "./logger.js"
import type { Random } from "./random.js"

/** What a process gives to everything that it runs. A test gives its own. */
export interface ServiceDeps {
  readonly clock: Clock
  readonly logger: Logger
}

export interface RuntimeDeps extends ServiceDeps {
  readonly random: Random
}

export interface Service {
  readonly name: string
  start(): void
  /** Resolves when the service has stopped. Safe to call twice, and before `start`. */
  stop(): Promise<void>
}
