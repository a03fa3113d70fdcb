// A connection that reads one moment of a database and writes nothing.

import pg from "pg"

export async function openSnapshot(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: "tidemark-checker" })
  await client.connect()
  await client.query("begin isolation level repeatable read read only")
  // A snapshot is taken by the first query, not by begin.
  await client.query("select 1")
  return client
}
