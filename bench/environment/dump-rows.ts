// The rows of a filled store as files for the bare COPY: one per table and per transaction the product made of them.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { type CopyTarget, copyTargets } from "../probe/copy-rows.js"
import { dumpQuery } from "./dump-query.js"
import { onStop } from "./stop-all.js"

export interface DumpedRows {
  readonly directory: string
  readonly transactions: number
  readonly bytes: number
}

export async function dumpRows(databaseUrl: string): Promise<DumpedRows> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-rows-"))
  onStop(() => rm(directory, { recursive: true, force: true }))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: ranges } = await client.query<{ from: string; to: string }>(
      `select from_height as from, to_height as to from raw.worker_leases where status = 'COMPLETED' order by 1`,
    )
    let bytes = 0
    for (const [i, range] of ranges.entries()) {
      for (const target of copyTargets) {
        bytes += await dump(client, { target, range, file: join(directory, `${i}.${target.table}`) })
      }
    }
    return { directory, transactions: ranges.length, bytes }
  } finally {
    await client.end()
  }
}

async function dump(
  client: pg.Client,
  { target, range, file }: { target: CopyTarget; range: { from: string; to: string }; file: string },
): Promise<number> {
  const { table, columns, height, order } = target
  const query = `select ${columns.join(", ")} from ${table} where ${height} >= ${range.from} and ${height} < ${range.to} order by ${order}`
  return dumpQuery(client, { query, file })
}
