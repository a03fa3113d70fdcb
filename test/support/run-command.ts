// Runs a command of the CLI as a function, in an empty directory, and gives what it wrote.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CliIo } from "../../src/cli/cli-io.js"
import { main } from "../../src/cli/main.js"
import { systemClock } from "../../src/platform/clock.js"
import { systemRandom } from "../../src/platform/random.js"

export async function runCommand(argv: readonly string[], { env = {}, ...over }: Partial<CliIo> = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "tidemark-cli-"))
  let out = ""
  let err = ""
  try {
    const code = await main(argv, {
      cwd,
      env: { TIDEMARK_DIR: join(cwd, ".tidemark"), ...env },
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      actor: "ann@harbour",
      ask: undefined,
      ...over,
    })
    return { code, out, err }
  } finally {
    await rm(cwd, { recursive: true })
  }
}
