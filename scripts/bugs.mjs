// npm run bugs: sets up what is missing, then puts bugs back, all of them or those named, and sees them caught.

import { join } from "node:path"
import { installDependencies, root, run } from "./set-up.mjs"

installDependencies()
run(process.execPath, ["--import", "tsx", join(root, "proof", "bugs", "run.ts"), ...process.argv.slice(2)])
