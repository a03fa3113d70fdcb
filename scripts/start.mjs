// npm start: sets up what is missing, then runs `tidemark start` with the arguments given, in this process: a signal needs nobody
// to pass it on.

import { join } from "node:path"
import { build, installDependencies, root } from "./set-up.mjs"

installDependencies()
build()
const program = join(root, "bin", "tidemark.js")
process.argv = [process.execPath, program, "start", ...process.argv.slice(2)]
await import(program)
