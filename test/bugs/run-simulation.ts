// Runs seeds of the simulation in a copy of the tree, up to the first that breaks an invariant.

import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"

export interface SimulationOutcome {
  /** undefined: none of the seeds noticed. */
  readonly broken?: { readonly seed: number; readonly what: string }
  /** The run did not come to an end by itself: neither held nor broken. */
  readonly stuck: boolean
}

const timeoutMs = 600_000

export async function runSimulation(directory: string, seeds: number): Promise<SimulationOutcome> {
  const out = join(directory, ".cache", "simulation")
  const tsc = join(directory, "node_modules", ".bin", "tsc")
  // Not scripts/sim.mjs: that would install dependencies where it finds none of its own.
  const compiled = spawnSync(tsc, ["-p", "tsconfig.sim.json", "--noCheck", "--outDir", out], {
    cwd: directory,
    encoding: "utf8",
  })
  if (compiled.status !== 0) throw new Error(`the simulation does not compile: ${compiled.stdout}`)
  const args = [join(out, "test", "simulation", "run.js"), "--seeds", String(seeds), "--no-shrink"]
  const child = spawn(process.execPath, args, {
    cwd: directory,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: timeoutMs,
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve))
  const [, seed, what] = /^seed (\d+) breaks (.*)$/m.exec(output) ?? []
  if (seed !== undefined) return { broken: { seed: Number(seed), what: what! }, stuck: false }
  return { stuck: code !== 0 }
}
