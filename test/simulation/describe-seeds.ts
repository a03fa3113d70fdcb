// A stretch of seeds as one test: the first that breaks an invariant fails it, shrunk, with its plan.

import { expect, test } from "vitest"
import { encounterNames, runSeeds } from "./run-seeds.js"
import { shrink } from "./shrink.js"
import { openLaboratory, simulate } from "./simulate.js"

const shrinkRuns = 60

export function describeSeeds({ from, count }: { from: number; count: number }): void {
  test(`seeds ${from} to ${from + count - 1} hold every invariant, and meet what the protocol is for`, async () => {
    const laboratory = await openLaboratory()
    const { failed, met } = await runSeeds(laboratory, { from, count })
    if (failed) {
      const { result } = await shrink((plan) => simulate(laboratory, plan), failed, { maxRuns: shrinkRuns })
      const { invariant, message } = result.violation!
      throw new Error(
        `seed ${failed.plan.seed} breaks ${invariant}: ${message}\nshrunk: ${JSON.stringify(result.plan)}`,
      )
    }
    expect(encounterNames.filter((name) => met[name] === 0)).toEqual([])
  }, 600_000)
}
