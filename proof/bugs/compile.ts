// Compiles a copy of the tree without checking its types: a bug may leave some of them unused.

import { spawnSync } from "node:child_process"
import { join } from "node:path"

export function compile(directory: string, { project, out }: { project: string; out: string }): void {
  const tsc = join(directory, "node_modules", ".bin", "tsc")
  const args = ["-p", project, "--noCheck", "--declaration", "false", "--outDir", out]
  const compiled = spawnSync(tsc, args, { cwd: directory, encoding: "utf8" })
  if (compiled.status !== 0) throw new Error(`it does not compile: ${compiled.stdout}${compiled.stderr}`)
}
