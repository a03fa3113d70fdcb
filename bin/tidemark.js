#!/usr/bin/env node
// The command `tidemark`: runs what was built from src/cli/main.ts.

import { existsSync } from "node:fs"

const built = new URL("../dist/program/main.js", import.meta.url)
if (existsSync(built)) {
  const { main } = await import(built.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  console.error("Tidemark is not built yet: run `npm run build` first, or `npm start`, which does it for you.")
  process.exitCode = 1
}
