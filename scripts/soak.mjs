// npm run soak -- --hours N: sets up what is missing, then runs the demo and a fast chain beside faults, and prints what
// it measured.

import { build, installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
build()
runTypeScript("proof/soak/run.ts")
