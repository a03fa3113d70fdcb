// Fills app tables with the checker's own expectation, for tests that need right tables of a real chain without the product:
// what then goes wrong is the checker's reading of the chain.

import { once } from "node:events"
import pg from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { ExpectedTables } from "./expected-tables.js"
import { everyHeight } from "./height-ranges.js"
import { readRaw } from "./read-raw.js"
import type { Table } from "./table.js"
import { allTables } from "./table-list.js"

export async function fillTables({ rawUrl, appUrl }: { readonly rawUrl: string; readonly appUrl: string }) {
  const raw = new pg.Client({ connectionString: rawUrl })
  const app = new pg.Client({ connectionString: appUrl })
  await raw.connect()
  await app.connect()
  try {
    const expected = new ExpectedTables(() => everyHeight)
    for await (const piece of readRaw(raw, { blocksPerPiece: 200 })) {
      for (const block of piece) expected.addBlock(block)
      for (const table of allTables.filter(({ kind }) => kind === "events"))
        await store(app, table, expected.takeEvents(table))
    }
    for (const table of allTables.filter(({ kind }) => kind === "state"))
      await store(app, table, expected.stateLines(table))
  } finally {
    await raw.end()
    await app.end()
  }
}

async function store(app: pg.Client, table: Table, lines: readonly string[]): Promise<void> {
  const names = table.columns.map(({ name }) => `"${name}"`).join(", ")
  const stream = app.query(copyFrom(`copy app."${table.name}" (${names}) from stdin`))
  stream.end(lines.map((line) => `${toCopy(table, line)}\n`).join(""))
  await once(stream, "finish")
}

const toCopy = (table: Table, line: string): string =>
  line
    .split("\t")
    .map((cell, i) => {
      if (cell === "\\N") return cell
      const { type } = table.columns[i]!
      if (type === "bytes") return `\\\\x${cell}`
      return type === "timestamp" ? timeText(BigInt(cell)) : cell
    })
    .join("\t")

function timeText(microseconds: bigint): string {
  const seconds = new Date(Number(microseconds / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${(microseconds % 1_000_000n).toString().padStart(6, "0")}Z`
}
