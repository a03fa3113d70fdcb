// npm run chaos: sets up what is missing, then runs fault scenarios, all of them or those named, and prints a table of what
// they met and measured.

import { spawn } from "node:child_process"
import { join } from "node:path"
import { build, installDependencies, root } from "./set-up.mjs"

installDependencies()
build()
const child = spawn(
  process.execPath,
  ["--import", "tsx", join(root, "proof", "chaos", "run.ts"), ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
)
// A terminal sends its signals to the child as well; passing them on a second time is harmless there.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
