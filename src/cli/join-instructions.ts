// What a second `start` in a directory prints: the process that owns it, and how another process joins it.

import { join } from "node:path"
import { readAnvilRecord } from "../demo/anvil-record.js"
import type { IndexerError } from "../platform/errors.js"
import type { Config } from "../platform/load-config.js"
import { Connection } from "../postgres/connection.js"

export async function joinInstructions(error: IndexerError, config: Config): Promise<string> {
  const urlOf = error.data["url"] as (database: string) => string
  const owner = error.data["ownerPid"]
  const chains = await chainsOn(urlOf("postgres"))
  const { dataDir } = config.process
  const blocks = await Promise.all(
    chains.map(async (chain) => {
      const rpc = chain === "demo" ? await demoRpcUrl(dataDir) : "<its node>"
      return [
        `  DB_RAW_URL=${urlOf(`tidemark_${chain}_raw`)} \\`,
        `  DB_APP_URL=${urlOf(`tidemark_${chain}_app`)} \\`,
        `  RPC_URL=${rpc} tidemark start --roles ingest`,
      ].join("\n")
    }),
  )
  return [
    `${dataDir} is in use: process ${owner ?? "unknown"} runs its database. Stop that one first, or join it with:`,
    ...blocks,
  ].join("\n\n")
}

async function chainsOn(url: string): Promise<string[]> {
  const connection = await Connection.open({ url, applicationName: "tidemark start" })
  try {
    const { rows } = await connection.query<{ datname: string }>(
      "select datname from pg_database where datname ~ '^tidemark_.*_raw$' order by 1",
    )
    return rows.map(({ datname }) => datname.slice("tidemark_".length, -"_raw".length))
  } finally {
    await connection.end()
  }
}

async function demoRpcUrl(dataDir: string): Promise<string> {
  const record = await readAnvilRecord(join(dataDir, "demo"))
  return record ? `http://127.0.0.1:${record.port},ws://127.0.0.1:${record.port}` : "<its node>"
}
