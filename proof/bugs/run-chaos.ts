// Plays a fault scenario in a copy of the tree, with the program built from it.

import { join } from "node:path"
import { compile } from "./compile.js"
import { type Outcome, runProgram } from "./run-program.js"

export async function runChaos(
  directory: string,
  { scenario, count, seed }: { scenario: string; count: number; seed: number },
): Promise<Outcome> {
  compile(directory, { project: "tsconfig.build.json", out: join(directory, "dist") })
  const run = join("proof", "chaos", "run.ts")
  const options = ["--count", String(count), "--seed", String(seed), "--discard"]
  const args = ["--import", "tsx", run, scenario, ...options]
  const { code, output } = await runProgram(args, { directory })
  if (code === 0) return { isSound: true, said: "" }
  // From the failure to the table that a run ends with.
  const [, said] = /: FAILED; .*\n.*\n([\s\S]*?)\n\n\| scenario /.exec(output) ?? []
  if (said === undefined) throw new Error(`${scenario} did not run: ${output.slice(-1_000)}`)
  return { isSound: false, said }
}
