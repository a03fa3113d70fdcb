// The contract of sharing a limit of calls a second among the processes of a chain: the shares that are held never add up to
// more than the limit. A share is held under a lease, so that of a process that died is free when it expires.

interface HeldShare {
  readonly callsPerSecond: number
  /** What the process could use. */
  readonly wanted: number
}

interface ShareRequest extends HeldShare {
  readonly processId: string
  /** Of all processes together. */
  readonly limit: number
  readonly leaseMs: number
}

export interface RateShares {
  /** The shares that other processes hold now. */
  others(processId: string): Promise<readonly HeldShare[]>
  /** Holds as much of what was asked for as the others leave. Returns it. */
  hold(request: ShareRequest): Promise<number>
  giveBack(processId: string): Promise<void>
}

/** Every process gets this part of the limit if it could use it, however much others want. */
const leastPart = 1 / 20

/**
 * How much of the limit this process should have: what it wants, as long as there is enough, else as much as any other
 * that wants more. What nobody wants is divided evenly. Each process computes it for itself; all get the same result.
 */
export function fairShare(limit: number, own: number, others: readonly number[]): number {
  const count = others.length + 1
  const least = limit * Math.min(leastPart, 1 / count)
  const wants = [own, ...others].map((wanted) => Math.min(limit, Math.max(least, wanted)))
  let left = limit
  let level = 0
  for (const [at, wanted] of [...wants].sort((a, b) => a - b).entries()) {
    level = left / (count - at)
    if (wanted >= level) return Math.min(wants[0]!, level)
    left -= wanted
  }
  return wants[0]! + left / count
}
