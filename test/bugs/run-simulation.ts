// Runs seeds of the simulation in a copy of the tree, up to the first that breaks an invariant.

import { spawn } from "node:child_process"
import { join } from "node:path"

export interface SimulationOutcome {
  /** undefined: none of the seeds noticed. */
  readonly broken?: { readonly seed: number; readonly what: string }
  /** The run did not come to an end by itself: neither held nor broken. */
  readonly stuck: boolean
}

const timeoutMs = 600_000

export async function runSimulation(directory: string, seeds: number): Promise<SimulationOutcome> {
  const args = [join(directory, "scripts", "sim.mjs"), "--seeds", String(seeds), "--no-shrink"]
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
