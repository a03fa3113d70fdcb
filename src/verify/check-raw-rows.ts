// Coverage is the promise, rows have to keep it: every covered height has its block, and no row lies where nothing is covered.

import { rawIngester } from "../coordination/raw-ingester.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { type Finding, oneBlock, refetchBlock } from "./finding.js"
import { type PieceOptions, rawHeights } from "./raw-piece.js"

const tables = [
  { table: "raw.blocks", height: "height" },
  { table: "raw.transactions", height: "block_height" },
  { table: "raw.events", height: "block_height" },
] as const

export async function checkRawRows(tx: Queryable, { range, limit }: PieceOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const { rows: missing } = await tx.query<{ height: string }>(
    `select promised.height from generate_series($1::int8, $2::int8 - 1) as promised (height)
     where ${rawHeights} @> promised.height
       and not exists (select 1 from raw.blocks as block where block.height = promised.height)
     order by promised.height limit $3`,
    [range.from, range.to, limit],
  )
  for (const row of missing) {
    const height = heightFrom(row.height)
    findings.push({
      check: "raw-rows",
      table: "raw.blocks",
      heights: oneBlock(height),
      message: `block ${height} is covered, but has no row`,
      remedy: refetchBlock(height),
    })
  }
  for (const { table, height: column } of tables) {
    const { rows: strays } = await tx.query<{ height: string; count: string }>(
      `select ${column} as height, count(*) as count from ${table}
       where ${column} >= $1 and ${column} < $2 and (${rawHeights} @> ${column}) is not true
       group by ${column} order by ${column} limit $3`,
      [range.from, range.to, limit],
    )
    for (const row of strays) {
      const heights = oneBlock(heightFrom(row.height))
      findings.push({
        check: "raw-rows",
        table,
        heights,
        message: `${row.count} rows of ${table} at height ${row.height}, which is not covered`,
        remedy: { kind: "delete-rows", table, worker: rawIngester, heights },
      })
    }
  }
  return findings
}
