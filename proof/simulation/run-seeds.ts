// Runs seeds one after the other until one fails, and counts the situations they met and the ambushes that struck.

import type { Laboratory } from "./laboratory.js"
import { ambushedStatements, type Plan, planOf } from "./plan.js"
import { type SimulationResult, simulate } from "./simulate.js"
import type { Encounters, Strikes } from "./world.js"

export interface SeedBatch {
  readonly from: number
  readonly count: number
  /** The faults of this plan with the random numbers of each seed, instead of the seed's own plan. */
  readonly plan?: Plan | undefined
}

export interface SeedsResult {
  readonly seeds: number
  /** Seeds that met each situation at least once. */
  readonly met: Counts<EncounterName>
  /** The fewest in any seed. */
  readonly least: Counts<TroubleName>
  /** Over all seeds. Shows if a reworded statement no longer triggers its ambushes. */
  readonly strikes: Readonly<Strikes>
  readonly events: number
  readonly slowestTipMs: number
  /** The lowest seed that broke something. */
  readonly failed: SimulationResult | undefined
}

export const encounterNames = [
  "fenceRefused",
  "straddlingRollback",
  "intentFinishedByAnother",
  "outOfOrderFoldUndone",
  "reopenedWhileRead",
  "rollbacksCancelled",
] as const satisfies readonly (keyof Encounters)[]
type EncounterName = (typeof encounterNames)[number]

/** What every seed has at least. */
export const leastTroubles = { rollbacks: 2, crashes: 2, outages: 1 } as const satisfies Partial<Encounters>
type TroubleName = keyof typeof leastTroubles
export const troubleNames = Object.keys(leastTroubles) as TroubleName[]

type Counts<Name extends string> = Readonly<Record<Name, number>>
const each = <Name extends string>(names: readonly Name[], value: (name: Name) => number): Counts<Name> =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Counts<Name>

export const noSeeds: SeedsResult = {
  seeds: 0,
  met: each(encounterNames, () => 0),
  least: each(troubleNames, () => Number.POSITIVE_INFINITY),
  strikes: each(ambushedStatements, () => 0),
  events: 0,
  slowestTipMs: 0,
  failed: undefined,
}

export function together(a: SeedsResult, b: SeedsResult): SeedsResult {
  const failed = [a.failed, b.failed].filter((one) => one !== undefined)
  return {
    seeds: a.seeds + b.seeds,
    met: each(encounterNames, (name) => a.met[name] + b.met[name]),
    least: each(troubleNames, (name) => Math.min(a.least[name], b.least[name])),
    strikes: each(ambushedStatements, (kind) => a.strikes[kind] + b.strikes[kind]),
    events: a.events + b.events,
    slowestTipMs: Math.max(a.slowestTipMs, b.slowestTipMs),
    failed: failed.sort((one, other) => one.plan.seed - other.plan.seed)[0],
  }
}

export async function runSeeds(laboratory: Laboratory, { from, count, plan }: SeedBatch): Promise<SeedsResult> {
  let all = noSeeds
  for (let seed = from; seed < from + count && !all.failed; seed++) {
    const result = await simulate(laboratory, plan ? { ...plan, seed } : planOf(seed))
    all = together(all, {
      seeds: 1,
      met: each(encounterNames, (name) => (result.encounters[name] > 0 ? 1 : 0)),
      least: each(troubleNames, (name) => result.encounters[name]),
      strikes: result.strikes,
      events: result.events,
      slowestTipMs: result.reachedTipMs,
      failed: result.violation && result,
    })
  }
  return all
}
