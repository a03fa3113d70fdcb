// A stretch of seeds as one test: the first that breaks an invariant fails it, shrunk, with its plan. Run as by hand, compiled and in all
// threads: what the test runner makes of the sources is several times as slow.

import { execFile } from "node:child_process"
import { setPriority } from "node:os"
import { join, resolve } from "node:path"
import { test } from "vitest"

const root = resolve(import.meta.dirname, "../..")

export function describeSeeds({ from, count }: { from: number; count: number }): void {
  test(`seeds ${from} to ${from + count - 1} hold every invariant, and meet what the protocol is for`, async () => {
    const args = [join(root, "scripts", "sim.mjs"), "--from", String(from), "--seeds", String(count)]
    const said = await new Promise<string>((done, fail) => {
      const options = { cwd: root, maxBuffer: 1 << 26 }
      const child = execFile(process.execPath, args, options, (error, stdout, stderr) =>
        error ? fail(new Error(`${stdout}\n${stderr}`)) : done(stdout),
      )
      // It keeps virtual time; those beside it keep real time, and come first.
      if (child.pid !== undefined) setPriority(child.pid, 10)
    })
    console.log(said)
  }, 3_600_000)
}
