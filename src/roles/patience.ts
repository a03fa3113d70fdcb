// Lets a process start while a dependency is unavailable: it waits, and logs what for.

import { describeError, isIndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import type { ServiceDeps } from "../platform/service.js"

const retryMs = 2_000

/** Retries through an outage. Only an error that a person has to fix ends the start. */
export function patience(
  { clock, logger }: ServiceDeps,
  signal: AbortSignal,
  /** Called with what it waits for and why, or with undefined when it goes on. */
  onWaiting: (reason: string | undefined) => void = () => undefined,
) {
  return async <T>(attempt: () => Promise<T>, waiting: string): Promise<T> => {
    for (let tries = 0; ; tries++) {
      try {
        const result = await attempt()
        onWaiting(undefined)
        return result
      } catch (error) {
        if (signal.aborted || !isIndexerError(error) || error.action !== "retry") throw error
        if (tries % 15 === 0) logger.warn({ code: error.code, error: describeError(error) }, waiting)
        onWaiting(`${waiting}: ${scrubText(describeError(error))}`)
        await clock.sleep(retryMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}
