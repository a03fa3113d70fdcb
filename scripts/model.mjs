// npm run model: sets up what is missing, then checks the protocol as a model, with the arguments given.

import { installDependencies, runTypeScript } from "./set-up.mjs"

installDependencies()
runTypeScript("proof/model/run.ts", { nodeOptions: ["--max-old-space-size=5500"] })
