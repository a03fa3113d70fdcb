// Plays a fault scenario in a copy of the tree, with the program built from it.

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { type Outcome, runProgram } from "./run-program.js"

export async function runChaos(
  directory: string,
  { scenario, count, seed }: { scenario: string; count: number; seed: number },
): Promise<Outcome> {
  const bundle = join(import.meta.dirname, "..", "..", "scripts", "bundle.mjs")
  const built = spawnSync(process.execPath, [bundle, directory], { encoding: "utf8" })
  if (built.status !== 0) throw new Error(`it cannot be bundled: ${built.stdout}${built.stderr}`)
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
