// SHA-256 of ordered dumps of the raw tables: equal digests are equal tables, byte for byte. Independent of the product's
// own reading code. Which columns are left out, and why, is said here.

import { createHash } from "node:crypto"
import pg from "pg"
import { to as copyTo } from "pg-copy-streams"

// No raw table has a clock or serial column, so nothing is left out.
const keys: Record<string, string> = {
  blocks: "height",
  transactions: "block_height, id",
  events: "block_height, transaction_index, event_index",
  tx_lookup: "id, block_height",
  block_lookup: "id",
}

export interface DigestOptions {
  /** Columns that legitimately differ: `extra` keeps what a noisy node adds to its answers. */
  readonly columns?: readonly string[]
}

export interface RawDigest {
  readonly digests: Record<string, string>
  readonly rows: Record<string, number>
  readonly coverage: string
}

/** `without`: what is left out. */
export async function digestRaw(url: string, without: DigestOptions = {}): Promise<RawDigest> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const digests: Record<string, string> = {}
    const rows: Record<string, number> = {}
    for (const [table, key] of Object.entries(keys)) {
      const columns = await columnsOf(client, table, without.columns ?? [])
      const query = `select ${columns} from raw.${table} order by ${key}`
      const hash = createHash("sha256")
      const stream = client.query(copyTo(`copy (${query}) to stdout`))
      for await (const chunk of stream) hash.update(chunk as Buffer)
      digests[table] = hash.digest("hex")
      const counted = await client.query<{ n: string }>(`select count(*) as n from raw.${table}`)
      rows[table] = Number(counted.rows[0]!.n)
    }
    const coverage = await client.query<{ heights: string }>("select heights::text as heights from raw.coverage")
    return { digests, rows, coverage: coverage.rows[0]!.heights }
  } finally {
    await client.end()
  }
}

async function columnsOf(client: pg.Client, table: string, without: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ names: string }>(
    `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as names from information_schema.columns
     where table_schema = 'raw' and table_name = $1 and column_name <> all ($2)`,
    [table, without],
  )
  return rows[0]!.names
}
