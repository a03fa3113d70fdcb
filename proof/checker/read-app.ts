// What the derived tables hold, as the lines that the checker compares; and what their workers say they cover.

import type pg from "pg"
import { to as copyTo } from "pg-copy-streams"
import { type HeightRange, parseMultirange } from "./height-ranges.js"
import { byHeight, selectList, type Table } from "./table.js"

export async function readCoverage(client: pg.Client): Promise<Map<string, HeightRange[]>> {
  const { rows } = await client.query<{ worker_type: string; heights: string }>(
    "select worker_type, heights::text as heights from app.coverage",
  )
  return new Map(rows.map(({ worker_type, heights }) => [worker_type, parseMultirange(heights)]))
}

/** The columns of every table of a schema that is there. */
export async function readColumns(client: pg.Client, schema: "app" | "raw"): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    "select table_name, column_name from information_schema.columns where table_schema = $1",
    [schema],
  )
  const columns = new Map<string, Set<string>>()
  for (const { table_name, column_name } of rows)
    columns.set(table_name, (columns.get(table_name) ?? new Set()).add(column_name))
  return columns
}

export async function readEventLines(
  client: pg.Client,
  table: Table,
  { columns, heights }: { readonly columns: ReadonlySet<string>; readonly heights: HeightRange },
): Promise<string[]> {
  const lines = await readLines(
    client,
    `select ${selectList(table, columns)} from app."${table.name}"
     where block_height >= ${heights.from} and block_height < ${heights.to}`,
  )
  return lines.sort(byHeight)
}

export async function readStateLines(
  client: pg.Client,
  table: Table,
  { columns }: { readonly columns: ReadonlySet<string> },
): Promise<string[]> {
  return (await readLines(client, `select ${selectList(table, columns)} from app."${table.name}"`)).sort()
}

/** The rows of a query, in COPY's text form. */
export async function readLines(client: pg.Client, query: string): Promise<string[]> {
  const stream = client.query(copyTo(`copy (${query}) to stdout`))
  const lines: string[] = []
  let rest = ""
  for await (const chunk of stream.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n")
    rest = parts.pop()!
    for (const line of parts) lines.push(line)
  }
  return lines
}
