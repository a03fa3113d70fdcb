// Finds the node's binary in the npm package of this platform, an optional dependency.

import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { IndexerError } from "../platform/errors.js"

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

export function resolveAnvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const file = join(folder, "bin", "anvil")
    if (existsSync(file)) return file
  } catch (cause) {
    throw missingBinary(name, cause)
  }
  throw missingBinary(name)
}

function missingBinary(name: string, cause?: unknown): IndexerError {
  return new IndexerError(
    "DEMO_FAILED",
    `the demo chain needs the package ${name}, which is not installed. ` +
      "Run npm install with optional dependencies, or index another chain with --rpc URL.",
    { data: { package: name }, cause },
  )
}
