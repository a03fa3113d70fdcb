// npm run model: sets up what is missing, then checks the protocol as a model, with the arguments given.

import { join } from "node:path"
import { installDependencies, root, run } from "./set-up.mjs"

installDependencies()
run(process.execPath, [
  "--max-old-space-size=5500",
  "--import",
  "tsx",
  join(root, "proof", "model", "run.ts"),
  ...process.argv.slice(2),
])
