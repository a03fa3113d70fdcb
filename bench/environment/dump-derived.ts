// All derived rows of an app database as files for the bare COPY: event rows in transactions of the size the product makes,
// state rows as they are at the end.

import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import { eventTables, stateTables } from "../../src/workers/worker-definition.js"
import type { WorkerRegistry } from "../../src/workers/worker-registry.js"
import type { CopyFile, CopyManifest } from "../probe/derived-copy.js"
import { dumpQuery } from "./dump-query.js"
import { onStop } from "./stop-all.js"

export interface DumpedDerived {
  /** Path of a JSON file. */
  readonly manifest: string
  readonly eventRows: number
  readonly stateRows: number
  readonly bytes: number
}

const blocksPerTransaction = 200

export async function dumpDerived(
  databaseUrl: string,
  { registry, blocks }: { registry: WorkerRegistry; blocks: number },
): Promise<DumpedDerived> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-derived-"))
  onStop(() => rm(directory, { recursive: true, force: true }))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let bytes = 0
  const dump = async (table: string, { key, where }: { key: readonly string[]; where: string }) => {
    const columns = await columnsOf(client, table)
    const list = (names: readonly string[]): string => names.map((name) => quoteIdentifier(name)).join(", ")
    const file = join(directory, `${table}.${bytes}`)
    const size = await dumpQuery(client, {
      query: `select ${list(columns)} from ${quoteIdentifier("app", table)} ${where} order by ${list(key)}`,
      file,
    })
    bytes += size
    return size > 0 ? [{ table: `app.${table}`, columns, file }] : []
  }
  const count = async (tables: readonly string[]): Promise<number> => {
    let rows = 0
    for (const table of tables) {
      const { rows: counted } = await client.query<{ n: string }>(
        `select count(*) as n from ${quoteIdentifier("app", table)}`,
      )
      rows += Number(counted[0]!.n)
    }
    return rows
  }
  try {
    const events = registry.workers.flatMap((worker) => eventTables(worker))
    const states = registry.workers.flatMap((worker) => stateTables(worker))
    const transactions: CopyFile[][] = []
    for (let from = 0; from < blocks; from += blocksPerTransaction) {
      const where = `where block_height >= ${from} and block_height < ${from + blocksPerTransaction}`
      const files: CopyFile[] = []
      for (const [table, { key }] of events) files.push(...(await dump(table, { key, where })))
      transactions.push(files)
    }
    const files: CopyFile[] = []
    for (const [table, { key }] of states) files.push(...(await dump(table, { key: Object.keys(key), where: "" })))
    transactions.push(files)
    const manifest = join(directory, "manifest.json")
    await writeFile(manifest, JSON.stringify(transactions satisfies CopyManifest))
    return {
      manifest,
      eventRows: await count(events.map(([table]) => table)),
      stateRows: await count(states.map(([table]) => table)),
      bytes,
    }
  } finally {
    await client.end()
  }
}

async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`app.${table}`],
  )
  return rows.map(({ name }) => name)
}
