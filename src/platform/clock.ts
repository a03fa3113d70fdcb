// Time, randomness and waiting come from here, never from globals, so that a simulator can stand in for them.

export interface Clock {
  /** Milliseconds since 1970. For people and records only; leases are decided by the database's clock. */
  now(): number
  /** Milliseconds that never go back, for deadlines and durations. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects: shutdown is not an error. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener("abort", done, { once: true })
    }),
}
