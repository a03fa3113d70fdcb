// Runs seeds of the simulation in a copy of the tree, up to the first that breaks an invariant.

import { join } from "node:path"
import { compile } from "./compile.js"
import { type Outcome, runProgram } from "./run-program.js"

/** Not scripts/sim.mjs: that would install dependencies where it finds none of its own. */
export async function runSimulation(directory: string, { seeds }: { seeds: number }): Promise<Outcome> {
  const out = join(directory, ".cache", "simulation")
  compile(directory, { project: "tsconfig.sim.json", out })
  const args = [join(out, "test", "simulation", "run.js"), "--seeds", String(seeds), "--no-shrink"]
  const { code, output } = await runProgram(args, { directory })
  const [said] = /^seed \d+ breaks .*$/m.exec(output) ?? /^no seed met .*$/m.exec(output) ?? []
  if (code !== 0 && said === undefined) throw new Error(`the simulation did not run: ${output.slice(-1_000)}`)
  return { isSound: code === 0, said: said ?? "" }
}
