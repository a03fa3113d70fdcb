// Runs seeds of the simulation in a copy of the tree, up to the first that breaks an invariant.

import { join } from "node:path"
import type { Plan } from "../simulation/plan.js"
import { regressions } from "../simulation/regressions.js"
import { compile } from "./compile.js"
import { type Outcome, runProgram } from "./run-program.js"

/** Not scripts/sim.mjs: that would install dependencies where it finds none of its own. */
export async function runSimulation(
  directory: string,
  { seeds, regression }: { seeds: number; regression?: string },
): Promise<Outcome> {
  const out = join(directory, ".cache", "simulation")
  compile(directory, { project: "tsconfig.sim.json", out })
  const args = [join(out, "proof", "simulation", "run.js"), "--seeds", String(seeds), "--no-shrink"]
  if (regression !== undefined) args.push("--plan", JSON.stringify(planOf(regression)))
  const { code, output } = await runProgram(args, { directory })
  if (code === 0) return { isSound: true, said: "" }
  const [said] = /^seed \d+ breaks .*$/m.exec(output) ?? /^no seed met .*$/m.exec(output) ?? []
  if (said === undefined) throw new Error(`the simulation did not run: ${output.slice(-1_000)}`)
  return { isSound: false, said }
}

function planOf(regression: string): Plan {
  const found = regressions.find(({ title }) => title === regression)
  if (!found) throw new Error(`there is no regression "${regression}"`)
  return found.plan
}
