import { expect, test } from "vitest"
import { type Plan, planOf } from "./plan.js"
import { shrink } from "./shrink.js"
import type { SimulationResult } from "./simulate.js"

const result = (plan: Plan, invariant: string | undefined): SimulationResult => ({
  ...{ plan, events: 0, reachedTipMs: 0 },
  violation: invariant === undefined ? undefined : { invariant, message: "", atMs: 0 },
  encounters: {} as SimulationResult["encounters"],
  strikes: {} as SimulationResult["strikes"],
})

test("a plan is shrunk to what it takes to break the same invariant", async () => {
  // An outage and a reorganisation break it. A crash alone breaks another invariant.
  const run = async (plan: Plan): Promise<SimulationResult> => {
    const breaks = plan.outages.length > 0 && plan.awaitedReorgs.length > 0
    return result(plan, breaks ? "I4" : plan.crashes.length > 0 ? "I9" : undefined)
  }
  const { result: shrunk } = await shrink(run, result(planOf(5), "I4"), { maxRuns: 500 })
  expect(shrunk.violation?.invariant).toBe("I4")
  const { plan } = shrunk
  expect([plan.outages.length, plan.awaitedReorgs.length, plan.processes]).toEqual([1, 1, 1])
  expect([plan.crashes, plan.pauses, plan.ambushes, plan.reorgs, plan.restores].flat()).toEqual([])
  expect(plan.lostPerMille + plan.slowPerMille + plan.nodeErrorPerMille + plan.clockSkewMs).toBe(0)
})
