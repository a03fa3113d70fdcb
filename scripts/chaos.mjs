// npm run chaos: sets up what is missing, then runs fault scenarios, all of them or those named, and prints a table of what
// they met and measured.

import { build, installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
build()
runTypeScript("proof/chaos/run.ts")
