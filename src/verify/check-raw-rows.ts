// Every covered height has its block, and no raw row lies outside of the coverage.

import { rawIngester } from "../coordination/raw-ingester.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { findUncoveredRows } from "./check-stray-rows.js"
import { damagedBlock, type Finding } from "./finding.js"
import { type RawPieceOptions, rawHeights } from "./raw-piece.js"

export async function checkRawRows(tx: Queryable, { range, limit, family }: RawPieceOptions): Promise<Finding[]> {
  const { rows: missing } = await tx.query<{ height: string }>(
    `select expected.height from generate_series($1::int8, $2::int8 - 1) as expected (height)
     where ${rawHeights} @> expected.height
       and not exists (select 1 from raw.blocks as block where block.height = expected.height)
     order by expected.height limit $3`,
    [range.from, range.to, limit],
  )
  const findings = missing.map(({ height }) => {
    const message = `block ${height} is covered, but has no row`
    return damagedBlock(heightFrom(height), { check: "raw-rows", table: "raw.blocks", message })
  })
  for (const { table } of family.rawTables) {
    const options = { check: "raw-rows", table: `raw.${table}`, worker: rawIngester, range, limit } as const
    findings.push(...(await findUncoveredRows(tx, options)))
  }
  return findings
}
