// npm run procedures -- [name…]: sets up what is missing, then does what docs/guides/maintain.md says.

import { build, installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
build()
runTypeScript("proof/procedures/run.ts")
