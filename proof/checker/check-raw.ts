// Derives every raw row from a node's own answers and compares with the stored ones, row for row. Reads only, in one snapshot;
// memory holds one piece of the chain and the two lookups.

import type pg from "pg"
import type { CheckReport } from "./check-derived.js"
import { TableComparison } from "./compare-tables.js"
import { openSnapshot } from "./open-snapshot.js"
import { type ExpectedRaw, expectedOf, foundOf } from "./raw-lines.js"
import { type RawTableName, rawTables, uncomparedRawColumns } from "./raw-table-list.js"
import { readColumns, readLines } from "./read-app.js"
import { readChainId, readNode } from "./read-node.js"
import { selectList } from "./table.js"
import { structureOf, withStructure } from "./table-structure.js"

export interface CheckRawOptions {
  readonly rawUrl: string
  /** A node that tells the truth, and that takes batches. */
  readonly rpcUrl: string
  /** The store has to hold the blocks [0, to), and nothing else. Without it: up to the highest that it says is stored. */
  readonly to?: number
  /** `extra` keeps what a noisy node adds to its answers: without, where the blocks came from another node than this. */
  readonly withoutExtra?: boolean
  readonly blocksPerPiece?: number
}

const defaultBlocksPerPiece = 50

type Comparisons = Readonly<Record<RawTableName, TableComparison>>

export async function checkRaw(options: CheckRawOptions): Promise<CheckReport> {
  const raw = await openSnapshot(options.rawUrl)
  try {
    return await check(raw, options)
  } finally {
    await raw.end()
  }
}

async function check(raw: pg.Client, options: CheckRawOptions): Promise<CheckReport> {
  const { rpcUrl, withoutExtra = false, blocksPerPiece = defaultBlocksPerPiece } = options
  const to = options.to ?? (await coverageEnd(raw))
  const columns = await readColumns(raw, "raw")
  const names = Object.keys(rawTables) as RawTableName[]
  const comparisons = Object.fromEntries(
    names.map((name) => [name, new TableComparison(rawTables[name])]),
  ) as Comparisons
  const read = (name: RawTableName, where: string): Promise<string[]> => {
    const table = rawTables[name]
    const there = columns.get(table.name)
    if (!there) return Promise.resolve([])
    return readLines(raw, `select ${selectList(table, there)} from raw."${table.name}" where ${where}`)
  }
  const chainId = await readChainId(rpcUrl)
  const lookups: Pick<ExpectedRaw, "txLookup" | "blockLookup"> = { txLookup: [], blockLookup: [] }
  let blocks = 0
  const comparePiece = async (expected: ExpectedRaw, from: number, end: number): Promise<void> => {
    const within = (height: string): string => `${height} >= ${from} and ${height} < ${end}`
    const found = {
      blocks: await read("blocks", within("height")),
      transactions: await read("transactions", within("block_height")),
      events: await read("events", within("block_height")),
    }
    const judged = foundOf(expected, found, { withoutExtra })
    for (const name of ["blocks", "transactions", "events"] as const)
      comparisons[name].compare(judged[name].expected, judged[name].found)
    for (const line of expected.txLookup) lookups.txLookup.push(line)
    for (const line of expected.blockLookup) lookups.blockLookup.push(line)
  }

  // Pieces leave no height out, so a row where no block is shows as extra.
  let from = Number.MIN_SAFE_INTEGER
  for await (const piece of readNode(rpcUrl, { to, blocksPerPiece })) {
    const end = piece[piece.length - 1]!.height + 1
    await comparePiece(expectedOf(piece, chainId), from, end)
    blocks += piece.length
    from = end
  }
  await comparePiece(expectedOf([], chainId), from, Number.MAX_SAFE_INTEGER)
  for (const name of ["txLookup", "blockLookup"] as const)
    comparisons[name].compare(lookups[name].sort(), (await read(name, "true")).sort())

  const tables = names.map((name) => {
    const table = rawTables[name]
    const excluded = Object.keys(uncomparedRawColumns[table.name] ?? {})
    return withStructure(
      comparisons[name].report({ heights: blocks }),
      structureOf(table, { schema: "raw", columns: columns.get(table.name), excluded }),
    )
  })
  const ok = blocks > 0 && tables.every(({ differenceCount }) => differenceCount === 0)
  return { ok, blocks, tables, withoutRaw: [] }
}

async function coverageEnd(raw: pg.Client): Promise<number> {
  const { rows } = await raw.query<{ to: string | null }>(
    "select upper(range_merge(heights)) as to from raw.coverage where worker_type = 'raw_ingester'",
  )
  return Number(rows[0]?.to ?? 0)
}
