// Many seeds, one after the other, until one fails; and how many of them met what the protocol is for.

import { planOf } from "./plan.js"
import { type Laboratory, type SimulationResult, simulate } from "./simulate.js"
import type { Encounters } from "./world.js"

export interface SeedsResult {
  readonly seeds: number
  /** Seeds that met each of them at least once. */
  readonly met: Encounters
  readonly events: number
  readonly slowestTipMs: number
  readonly failed: SimulationResult | undefined
}

export async function runSeeds(
  laboratory: Laboratory,
  { from, count, onSeed }: { from: number; count: number; onSeed?: (done: number) => void },
): Promise<SeedsResult> {
  const met: Encounters = {
    fenceRefused: 0,
    straddlingRollback: 0,
    intentFinishedByAnother: 0,
    outOfOrderFoldUndone: 0,
  }
  let events = 0
  let slowestTipMs = 0
  for (let seed = from; seed < from + count; seed++) {
    const result = await simulate(laboratory, planOf(seed))
    events += result.events
    slowestTipMs = Math.max(slowestTipMs, result.reachedTipMs)
    for (const name of encounterNames) if (result.encounters[name] > 0) met[name]++
    if (result.violation) return { seeds: seed - from + 1, met, events, slowestTipMs, failed: result }
    onSeed?.(seed - from + 1)
  }
  return { seeds: count, met, events, slowestTipMs, failed: undefined }
}

export const encounterNames = [
  "fenceRefused",
  "straddlingRollback",
  "intentFinishedByAnother",
  "outOfOrderFoldUndone",
] as const satisfies readonly (keyof Encounters)[]
