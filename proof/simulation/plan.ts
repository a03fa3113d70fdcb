// What a seed means: how many processes, which chain, and which faults when. Plain data, so that it can be printed,
// shrunk and run again.

import { SimRandom } from "./sim-random.js"
import { simWorkerNames } from "./sim-workers.js"
import type { Timing } from "./timing.js"
import { withOperator } from "./with-operator.js"

type DatabaseName = "raw" | "app"

export interface Plan {
  readonly seed: number
  readonly processes: number
  readonly lanes: number
  /** Blocks at the start, and the time between new ones. */
  readonly blocks: number
  readonly blockMs: number
  readonly finalityGap: number
  readonly rangeSize: number
  readonly order: "oldest" | "newest"
  readonly recordBackend: boolean
  readonly providers: number
  /** When all faults end. */
  readonly faultyMs: number
  /** Of a request that is not slow, at most. */
  readonly latencyMs: number
  /** Slow requests per thousand. */
  readonly slowPerMille: number
  /** Commits per thousand whose answer is lost. */
  readonly lostPerMille: number
  /** Failed requests to the node per thousand. */
  readonly nodeErrorPerMille: number
  /** `silent`: the server does not notice that the process is gone. */
  readonly crashes: readonly {
    readonly at: number
    readonly process: number
    readonly backAfterMs: number
    readonly silent: boolean
  }[]
  /** `frozen`: its clock stops too, like that of a suspended machine, so it does not notice that its leases expired. */
  readonly pauses: readonly {
    readonly at: number
    readonly process: number
    readonly ms: number
    readonly frozen: boolean
  }[]
  readonly ambushes: readonly Ambush[]
  readonly outages: readonly { readonly at: number; readonly of: DatabaseName; readonly ms: number }[]
  readonly reorgs: readonly { readonly at: number; readonly depth: number; readonly grow: number }[]
  /** They wait for blocks that they can replace. A seed has at least as many rollbacks. */
  readonly awaitedReorgs: readonly { readonly at: number; readonly depth: number; readonly grow: number }[]
  readonly providerFaults: readonly {
    readonly at: number
    readonly provider: number
    readonly kind: "stuck" | "lags" | "down"
    readonly ms: number
  }[]
  /** A return to the state at `backupAt`. `stopped`: the operator stops the processes first. */
  readonly restores: readonly {
    readonly of: DatabaseName
    readonly backupAt: number
    readonly at: number
    readonly stopped: boolean
  }[]
  readonly poisons: readonly { readonly at: number; readonly worker: string }[]
  /** Of an operator, in some seeds. */
  readonly acts: readonly Act[]
  /** How far the clocks of processes may be off. */
  readonly clockSkewMs: number
  /** Today's when absent. */
  readonly timing?: Timing
}

/**
 * Faults at random moments mostly meet processes that have nothing to lose. An ambush waits for the first statement of
 * its kind after `at`, and strikes before the process receives the answer. `stall`: only that answer is delayed, so the
 * process goes on renewing its leases. `fork`: the chain is also reorganised, inside the range that the statement
 * claimed, read or wrote. `mend`: an operator reopens the rows that were read, because they are wrong.
 */
export interface Ambush {
  readonly at: number
  readonly on: AmbushedStatement
  readonly act: "stop" | "freeze" | "kill" | "silence" | "stall"
  readonly ms: number
  readonly fork: boolean
  readonly mend?: boolean
}

/**
 * Of an operator. `rederive` reopens heights of a worker. `mend` ends an error of the first worker, which got these
 * blocks wrong until then, and reopens them. `refetch` has raw blocks fetched again. `skip` skips the first DEAD block
 * and retries it later. `cancel` cancels the first open rollback that it meets, unless a process was faster.
 */
export type Act =
  | ({ readonly kind: "rederive"; readonly at: number; readonly worker: string } & Stretch)
  | ({ readonly kind: "mend" | "refetch"; readonly at: number } & Stretch)
  | { readonly kind: "skip"; readonly at: number; readonly backAfterMs: number }
  | { readonly kind: "cancel"; readonly at: number }

export interface Stretch {
  readonly from: number
  readonly blocks: number
}

export const ambushedStatements = ["claim", "read", "write", "complete", "intent", "undo"] as const
export type AmbushedStatement = (typeof ambushedStatements)[number]

const minute = 60_000

export function planOf(seed: number): Plan {
  const random = new SimRandom(Math.imul(seed + 1, 0x2545f491) ^ 0x5bd1e995)
  const processes = random.pick([3, 3, 3, 3, 3, 3, 4, 4, 5, 6])
  const faultyMs = random.between(4_000, 6_500)
  const at = (): number => random.between(300, faultyMs - 500)
  // In most seeds, faults that end connections come late, so that ambushed processes survive to continue their work.
  const quietMs = random.chance(0.7) ? Math.floor(faultyMs * 0.6) : 300
  const late = (): number => random.between(quietMs, faultyMs - 300)
  const times = <T>(from: number, to: number, make: () => T): T[] =>
    Array.from({ length: random.between(from, to) }, make)
  const fork = (): Plan["reorgs"][number] => ({
    at: at(),
    depth: random.chance(0.7) ? random.between(1, 8) : random.between(8, 64),
    grow: random.between(-2, 3),
  })
  const recordBackend = random.chance(0.3)
  const providers = random.between(1, 2)
  const blockMs = random.between(350, 550)
  const growing = Math.floor(faultyMs / blockMs)
  return withOperator({
    seed,
    processes,
    lanes: random.chance(0.15) ? 2 : 1,
    blocks: Math.max(150, 202 - growing) + random.between(0, 20),
    blockMs,
    finalityGap: random.pick([12, 24, 40, 70]),
    rangeSize: random.pick([25, 40, 60, 60]),
    order: random.chance(0.3) ? "newest" : "oldest",
    recordBackend,
    providers,
    faultyMs,
    latencyMs: random.pick([4, 12, 25]),
    slowPerMille: random.pick([5, 15, 30]),
    lostPerMille: random.pick([2, 10, 30]),
    nodeErrorPerMille: random.pick([0, 20, 60]),
    crashes: times(2, 4, () => ({
      at: late(),
      process: random.between(0, processes - 1),
      backAfterMs: random.between(100, 3_000),
      // Only a recorded backend can be terminated when its process is silent.
      silent: recordBackend && random.chance(0.3),
    })),
    pauses: times(0, 2, () => ({
      at: at(),
      process: random.between(0, processes - 1),
      ms: random.between(300, 4_000),
      frozen: random.chance(0.6),
    })),
    ambushes: times(2, 4, () => ambush(random, { at: at(), recordBackend })),
    outages: times(1, 2, () => ({
      at: late(),
      of: random.pick(["raw", "app"] as const),
      ms: random.between(100, 1_500),
    })),
    reorgs: times(0, 3, fork),
    // Early, since each may wait for long.
    awaitedReorgs: times(2, 2, () => ({ ...fork(), at: Math.floor(at() * 0.5) })).sort(
      (one, other) => one.at - other.at,
    ),
    providerFaults: times(0, 3, () => ({
      at: at(),
      provider: random.between(0, providers - 1),
      kind: random.pick(["stuck", "lags", "down"] as const),
      ms: random.between(200, 3_000),
    })),
    restores: random.chance(0.12) ? [restore(random, { faultyMs })] : [],
    poisons: random.chance(0.15) ? [{ at: at(), worker: random.pick(simWorkerNames.slice(0, 2)) }] : [],
    clockSkewMs: random.chance(0.3) ? 10 * minute : 0,
    acts: [],
  })
}

function ambush(random: SimRandom, { at, recordBackend }: { at: number; recordBackend: boolean }): Ambush {
  const on = random.pick(["claim", "claim", "claim", "write", "write", "write", "complete", "intent", "undo"] as const)
  const dies = on === "intent" || on === "undo" || random.chance(0.2)
  return {
    // Early, so that there is time for the consequences.
    at: Math.floor(at * 0.4),
    on,
    act: dies ? (recordBackend && random.chance(0.3) ? "silence" : "kill") : random.chance(0.7) ? "freeze" : "stop",
    ms: random.between(1_500, 3_500),
    fork: on === "claim" && random.chance(0.9),
  }
}

function restore(random: SimRandom, { faultyMs }: { faultyMs: number }): Plan["restores"][number] {
  const backupAt = random.between(500, faultyMs - 2_000)
  const of = random.chance(0.6) ? "app" : "raw"
  return {
    of,
    backupAt,
    at: random.between(backupAt + 300, faultyMs - 300),
    stopped: of === "raw" && random.chance(0.5),
  }
}
