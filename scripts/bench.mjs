// npm run bench: sets up what is missing, then runs the benchmarks with the arguments given.

import { build, installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
build()
runTypeScript("bench/run.ts")
