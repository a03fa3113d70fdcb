// Time and waiting come from here, never from globals, so that a simulator can replace them.

export interface Clock {
  /** Milliseconds since 1970. For people and records only; leases are decided by the database's clock. */
  now(): number
  /** Milliseconds that never go back, for deadlines and durations. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects: shutdown is not an error. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Lets sockets and timers run: for long work that never waits by itself. */
  yield(): Promise<void>
}

export const systemClock: Clock = {
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  now: () => Date.now(),
  // Not performance.now(): that counts from each thread's own start, and deadlines cross threads.
  monotonic: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
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
