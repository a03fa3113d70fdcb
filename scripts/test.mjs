// npm test: sets up what is missing, then types, lint and all tests. Arguments go to vitest.

import { join } from "node:path"
import { build, installDependencies, root, run } from "./set-up.mjs"

installDependencies()
build()
const bin = (name) => join(root, "node_modules", ".bin", name)
const args = process.argv.slice(2)
if (args.length === 0) {
  run(bin("tsc"), ["--noEmit", "-p", "tsconfig.json"])
  run(bin("biome"), ["check", "."])
}
run(bin("vitest"), ["run", ...args])
