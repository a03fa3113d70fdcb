// The product as its users start it: the built command, as a process of its own, with nothing turned off.

import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "../measure/measure-run.js"

const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")

export interface IngestOptions {
  readonly rpcUrl: string
  readonly databaseUrl: string
  /** Heights [0, blocks). */
  readonly blocks: number
  readonly threads: number
  readonly env?: Readonly<Record<string, string>>
}

export function ingestCommand({ rpcUrl, databaseUrl, blocks, threads, env }: IngestOptions): Command {
  const flags = {
    rpc: rpcUrl,
    "start-block": 0,
    "end-block": blocks - 1,
    roles: "ingest",
    threads,
    port: 0,
  }
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  return {
    args: [program, "start", ...args, "--exit-when-done"],
    // Not in the checkout, where a config file may lie.
    cwd: tmpdir(),
    env: { DB_RAW_URL: databaseUrl, LOG_FORMAT: "json", ...env },
  }
}
