// The probes as commands. They are compiled first: the product runs as plain JavaScript, so do they.

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { Command } from "../measure/measure-run.js"

const root = join(import.meta.dirname, "..", "..")
const compiled = join(root, ".cache", "bench", "probe", "bench", "probe")

export function compileProbes(): void {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "bench", "tsconfig.probe.json")], {
    stdio: ["ignore", process.stderr, process.stderr],
  })
  if (status !== 0) throw new Error("the probes do not compile")
}

export const probeCommand = (flags: { rpc: string; database: string; blocks: number; writers: number }): Command =>
  command("probe.js", flags)

export const bareCopyCommand = (flags: {
  database: string
  directory: string
  transactions: number
  writers: number
}): Command => command("bare-copy.js", flags)

export const derivedCopyCommand = (flags: { database: string; manifest: string }): Command =>
  command("derived-copy.js", flags)

function command(file: string, flags: Readonly<Record<string, string | number>>): Command {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  return { args: [join(compiled, file), ...args] }
}
