// Lets a process start while a dependency is unavailable: it waits, and logs what for.

import { describeError, isIndexerError } from "../platform/errors.js"
import type { ServiceDeps } from "../platform/service.js"

const retryMs = 2_000

/** Retries through an outage. Only an error that a person has to fix ends the start. */
export function patience({ clock, logger }: ServiceDeps, signal: AbortSignal) {
  return async <T>(attempt: () => Promise<T>, waiting: string): Promise<T> => {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (signal.aborted || !isIndexerError(error) || error.action !== "retry") throw error
        if (tries % 15 === 0) logger.warn({ code: error.code, error: describeError(error) }, waiting)
        await clock.sleep(retryMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}
