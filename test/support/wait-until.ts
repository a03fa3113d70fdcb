// Waits for a condition instead of a time. The last error of a look is told when the time is up: a database that is away
// for a while is part of many tests.

/** For what has to happen and has no time to keep: longer than the busiest machine needs. */
export const patienceMs = 180_000

export interface WaitOptions {
  /** What is waited for, for the failure's message. */
  readonly what: string
  readonly timeoutMs?: number
  readonly everyMs?: number
}

/** Resolves with the first answer that is neither undefined, null nor false. */
export async function waitUntil<T>(
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { what, timeoutMs = patienceMs, everyMs = 50 }: WaitOptions,
): Promise<T> {
  const began = performance.now()
  let problem: unknown
  while (performance.now() - began < timeoutMs) {
    try {
      const found = await look()
      if (found !== undefined && found !== null && found !== false) return found
      problem = undefined
    } catch (error) {
      problem = error
    }
    await pause(everyMs)
  }
  throw new Error(`waited ${timeoutMs} ms in vain: ${what}`, { cause: problem })
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
