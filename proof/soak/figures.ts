// What a long run is summed up to: percentiles, trends by thirds, and the processor time of a server that may restart.

import { readdirSync, readFileSync } from "node:fs"

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

/** The highest of each third, in order: a leak makes the last the highest. */
export function byThirds(values: readonly number[]): string {
  const size = Math.ceil(values.length / 3)
  return [0, 1, 2].map((third) => Math.max(0, ...values.slice(third * size, (third + 1) * size))).join(", ")
}

interface ProcessTimes {
  readonly pid: number
  readonly parent: number
  /** Its own and that of children that ended. */
  readonly ticks: number
}

/** Of one line of /proc: the name may hold spaces and brackets. */
export function parseStat(text: string): ProcessTimes {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [parent, ...times] = [fields[1], ...fields.slice(11, 15)].map(Number)
  return { pid: Number.parseInt(text, 10), parent: parent!, ticks: times.reduce((sum, n) => sum + n, 0) }
}

const ticksPerSecond = 100

/** Adds up over restarts: each postmaster counts with what it was last seen to have taken, its backends included. */
export class ServerTime {
  readonly #seen = new Map<number, number>()

  sample(postmaster: number): void {
    const all = readdirSync("/proc").flatMap((name) => {
      try {
        return /^\d+$/.test(name) ? [parseStat(readFileSync(`/proc/${name}/stat`, "utf8"))] : []
      } catch {
        // It ended meanwhile.
        return []
      }
    })
    const own = all.filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    const ticks = own.reduce((sum, one) => sum + one.ticks, 0)
    this.#seen.set(postmaster, Math.max(ticks, this.#seen.get(postmaster) ?? 0))
  }

  get seconds(): number {
    return [...this.#seen.values()].reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  }
}
