// What a seed means: how many processes, which chain, and what goes wrong when. Plain data, so that it can be printed, shrunk and run again.

import { SimRandom } from "./sim-random.js"
import { simWorkerNames } from "./sim-workers.js"

export type DatabaseName = "raw" | "app"

export interface Plan {
  readonly seed: number
  readonly processes: number
  readonly lanes: number
  /** Blocks there are at the start, and how often one more comes. */
  readonly blocks: number
  readonly blockMs: number
  readonly finalityGap: number
  readonly rangeSize: number
  readonly order: "oldest" | "newest"
  readonly recordBackend: boolean
  readonly providers: number
  /** When everything heals. */
  readonly faultyMs: number
  /** Of a thousand requests, those that take long. */
  readonly slowPerMille: number
  /** Of a thousand commits, those whose answer is lost. */
  readonly lostPerMille: number
  /** Of a thousand requests to the node, those that fail. */
  readonly nodeErrorPerMille: number
  /** `silent`: the server does not notice that the process is gone. */
  readonly crashes: readonly {
    readonly at: number
    readonly process: number
    readonly backAfterMs: number
    readonly silent: boolean
  }[]
  /** `frozen`: its clock stands still meanwhile, as that of a suspended machine does, so it cannot tell that its leases are over. */
  readonly pauses: readonly {
    readonly at: number
    readonly process: number
    readonly ms: number
    readonly frozen: boolean
  }[]
  readonly outages: readonly { readonly at: number; readonly of: DatabaseName; readonly ms: number }[]
  readonly reorgs: readonly { readonly at: number; readonly depth: number; readonly grow: number }[]
  readonly providerFaults: readonly {
    readonly at: number
    readonly provider: number
    readonly kind: "stuck" | "lags" | "away"
    readonly ms: number
  }[]
  /** Goes back to what it was at `backupAt`. */
  readonly restores: readonly { readonly of: DatabaseName; readonly backupAt: number; readonly at: number }[]
  readonly poisons: readonly { readonly at: number; readonly worker: string }[]
  /** How far each process's clock is off. */
  readonly clockSkewMs: number
}

const minute = 60_000

export function planOf(seed: number): Plan {
  const random = new SimRandom(Math.imul(seed + 1, 0x2545f491) ^ 0x5bd1e995)
  const processes = random.between(3, 6)
  const faultyMs = random.between(7_000, 11_000)
  const at = (): number => random.between(300, faultyMs - 500)
  const times = <T>(from: number, to: number, make: () => T): T[] =>
    Array.from({ length: random.between(from, to) }, make)
  const recordBackend = random.chance(0.4)
  const providers = random.between(1, 2)
  const blockMs = random.between(180, 300)
  const growing = Math.floor(faultyMs / blockMs)
  return {
    seed,
    processes,
    lanes: random.chance(0.3) ? 2 : 1,
    blocks: Math.max(150, 202 - growing) + random.between(0, 30),
    blockMs,
    finalityGap: random.pick([12, 24, 40, 70]),
    rangeSize: random.pick([10, 16, 25, 40]),
    order: random.chance(0.3) ? "newest" : "oldest",
    recordBackend,
    providers,
    faultyMs,
    slowPerMille: random.pick([5, 15, 30]),
    lostPerMille: random.pick([2, 10, 30]),
    nodeErrorPerMille: random.pick([0, 20, 60]),
    crashes: times(2, 5, () => ({
      at: at(),
      process: random.between(0, processes - 1),
      backAfterMs: random.between(100, 4_000),
      // Without a backend on record nobody could end what such a process left open.
      silent: recordBackend && random.chance(0.3),
    })),
    pauses: times(1, 3, () => ({
      at: at(),
      process: random.between(0, processes - 1),
      ms: random.between(300, 6_000),
      frozen: random.chance(0.6),
    })),
    outages: times(1, 2, () => ({
      at: at(),
      of: random.pick(["raw", "app"] as const),
      ms: random.between(100, 2_500),
    })),
    reorgs: times(2, 5, () => ({
      at: at(),
      depth: random.chance(0.7) ? random.between(1, 8) : random.between(8, 64),
      grow: random.between(-2, 3),
    })),
    providerFaults: times(0, 3, () => ({
      at: at(),
      provider: random.between(0, providers - 1),
      kind: random.pick(["stuck", "lags", "away"] as const),
      ms: random.between(200, 4_000),
    })),
    restores: random.chance(0.2) ? [restore(random, { faultyMs })] : [],
    poisons: random.chance(0.3) ? [{ at: at(), worker: random.pick(simWorkerNames.slice(0, 2)) }] : [],
    clockSkewMs: random.chance(0.3) ? 10 * minute : 0,
  }
}

function restore(random: SimRandom, { faultyMs }: { faultyMs: number }): Plan["restores"][number] {
  const backupAt = random.between(500, faultyMs - 2_000)
  return {
    of: random.chance(0.75) ? "app" : "raw",
    backupAt,
    at: random.between(backupAt + 300, faultyMs - 300),
  }
}
