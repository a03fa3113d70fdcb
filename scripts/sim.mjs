// npm run sim: the deterministic simulation, compiled first, since it runs several times as fast that way. Into a directory of its own, so
// that several can run at once.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { installDependencies, root, run } from "./set-up.mjs"

installDependencies()
const cache = join(root, ".cache")
mkdirSync(cache, { recursive: true })
const out = mkdtempSync(join(cache, "simulation-"))
process.on("exit", () => rmSync(out, { recursive: true, force: true }))
run(join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.sim.json", "--noCheck", "--outDir", out])
run(process.execPath, [join(out, "proof", "simulation", "run.js"), ...process.argv.slice(2)])
