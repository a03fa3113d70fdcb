// npm test: sets up what is missing, then what `npm run check` does, and all tests. Arguments go to vitest.

import { spawn } from "node:child_process"
import { join } from "node:path"
import { build, installDependencies, root, run } from "./set-up.mjs"

installDependencies()
// Apart from the others: the newer Node among them would run every script of npm, since its name is "node".
installDependencies(join(root, "test", "binaries"))
const bin = (name) => join(root, "node_modules", ".bin", name)
const args = process.argv.slice(2)
const start = (name, options) =>
  new Promise((resolve) => {
    spawn(bin(name), options, { cwd: root, stdio: "inherit" }).on("exit", (code) => resolve(code ?? 1))
  })
// Beside the build, which takes as long and one core.
const checks =
  args.length === 0
    ? [
        start("tsc", ["--noEmit", "-p", "tsconfig.json"]),
        start("tsc", ["--noEmit", "-p", "web/tsconfig.json"]),
        start("biome", ["check", "."]),
        start("knip", []),
      ]
    : []
build()
const failed = (await Promise.all(checks)).find((code) => code !== 0)
if (failed !== undefined) process.exit(failed)
run(bin("vitest"), ["run", ...args])
