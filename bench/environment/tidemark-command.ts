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
  /** ingest alone unless given. */
  readonly roles?: string
  readonly env?: Readonly<Record<string, string>>
}

export function ingestCommand(options: IngestOptions): Command {
  const { rpcUrl, databaseUrl, blocks, threads, roles = "ingest", env } = options
  return startCommand({
    flags: { rpc: rpcUrl, "end-block": blocks - 1, roles, threads, port: 0 },
    env: { DB_RAW_URL: databaseUrl, ...env },
  })
}

export interface WorkOptions {
  readonly rpcUrl: string
  readonly rawUrl: string
  readonly appUrl: string
  /** Heights [0, blocks). */
  readonly blocks: number
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Derives all built-in indexes of what raw has, and ends. */
export function workCommand({ rpcUrl, rawUrl, appUrl, blocks, port = 0, env = {} }: WorkOptions): Command {
  return startCommand({
    flags: { rpc: rpcUrl, "end-block": blocks - 1, roles: "work", port },
    env: { DB_RAW_URL: rawUrl, DB_APP_URL: appUrl, ...env },
  })
}

function startCommand({
  flags,
  env,
}: {
  flags: Readonly<Record<string, string | number>>
  env: Readonly<Record<string, string>>
}): Command {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  return {
    args: [program, "start", "--start-block", "0", ...args, "--exit-when-done"],
    // Not in the checkout, where a config file may lie.
    cwd: tmpdir(),
    env: { LOG_FORMAT: "json", ...env },
  }
}
