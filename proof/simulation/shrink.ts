// Makes a failing plan smaller while it still breaks the same invariant: fewer faults, processes and blocks.

import type { Plan } from "./plan.js"
import type { SimulationResult } from "./simulate.js"

const lists = [
  ...(["crashes", "pauses", "ambushes", "outages", "reorgs", "providerFaults", "restores", "poisons"] as const),
  ...(["awaitedReorgs", "acts"] as const),
]
const rates = ["slowPerMille", "lostPerMille", "nodeErrorPerMille", "clockSkewMs"] as const

export async function shrink(
  run: (plan: Plan) => Promise<SimulationResult>,
  failed: SimulationResult,
  { maxRuns }: { maxRuns: number },
): Promise<{ result: SimulationResult; runs: number }> {
  let best = failed
  let runs = 0
  search: for (;;) {
    for (const smaller of candidates(best.plan)) {
      if (runs >= maxRuns) break search
      runs++
      const result = await run(smaller)
      if (result.violation?.invariant !== failed.violation?.invariant) continue
      best = result
      continue search
    }
    break
  }
  return { result: best, runs }
}

/** Larger steps first. */
function* candidates(plan: Plan): Generator<Plan> {
  for (const name of lists) if (plan[name].length > 1) yield { ...plan, [name]: [] }
  for (const name of lists)
    for (let at = 0; at < plan[name].length; at++)
      yield { ...plan, [name]: plan[name].filter((_, other) => other !== at) }
  for (const name of rates) if (plan[name] > 0) yield { ...plan, [name]: 0 }
  if (plan.processes > 1) yield { ...plan, processes: plan.processes - 1, ...within(plan, plan.processes - 1) }
  if (plan.lanes > 1) yield { ...plan, lanes: 1 }
  if (plan.providers > 1) yield { ...plan, providers: 1, providerFaults: [] }
  if (plan.blocks > 20) yield { ...plan, blocks: Math.max(20, Math.floor(plan.blocks / 2)) }
  if (plan.faultyMs > 2_000) yield { ...plan, faultyMs: Math.floor(plan.faultyMs * 0.7) }
}

/** Faults of processes that exist. */
const within = (plan: Plan, processes: number): Pick<Plan, "crashes" | "pauses"> => ({
  crashes: plan.crashes.map((crash) => ({ ...crash, process: crash.process % processes })),
  pauses: plan.pauses.map((pause) => ({ ...pause, process: pause.process % processes })),
})
