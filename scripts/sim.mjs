// npm run sim: the deterministic simulation, compiled first, since it runs several times as fast that way.

import { rmSync } from "node:fs"
import { join } from "node:path"
import { installDependencies, root, run } from "./set-up.mjs"

installDependencies()
const out = join(root, ".cache", "simulation")
rmSync(out, { recursive: true, force: true })
run(join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.sim.json", "--outDir", out])
run(process.execPath, [join(out, "test", "simulation", "run.js"), ...process.argv.slice(2)])
