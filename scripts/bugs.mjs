// npm run bugs: sets up what is missing, then puts bugs back, all of them or those named, and sees them caught.

import { installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
runTypeScript("proof/bugs/run.ts")
