// Transactions and events stand in their block one after the other, without gap or double, and each event belongs to a
// transaction that is there.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { type Finding, oneBlock, refetchBlock } from "./finding.js"
import { hex, type PieceOptions, rawHeights } from "./raw-piece.js"

interface OrphanRow {
  block_height: string
  transaction_index: number
  event_index: number
  transaction_id: Buffer
  id: Buffer | null
}

const numbered = [
  { table: "raw.transactions", column: "transaction_index" },
  { table: "raw.events", column: "event_index" },
] as const

export async function checkEventPlaces(tx: Queryable, { range, limit }: PieceOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { table, column } of numbered) {
    const { rows } = await tx.query<{ height: string; count: number; different: number; highest: number }>(
      `select block_height as height, count(*)::int4 as count, count(distinct ${column})::int4 as different, max(${column}) as highest
       from ${table} where block_height >= $1 and block_height < $2 and ${rawHeights} @> block_height
       group by block_height
       having min(${column}) <> 0 or max(${column}) <> count(*) - 1 or count(distinct ${column}) <> count(*)
       order by block_height limit $3`,
      [range.from, range.to, limit],
    )
    for (const row of rows) {
      const height = heightFrom(row.height)
      findings.push({
        check: "event-places",
        table,
        heights: oneBlock(height),
        expected: `0 to ${row.count - 1}`,
        found: `${row.different} different up to ${row.highest}`,
        message: `block ${height} has ${row.count} rows in ${table}, but their ${column} is not 0 to ${row.count - 1}`,
        remedy: refetchBlock(height),
      })
    }
  }
  const { rows: orphans } = await tx.query<OrphanRow>(
    `select event.block_height, event.transaction_index, event.event_index, event.transaction_id, transaction.id
     from raw.events as event
     left join raw.transactions as transaction
       on transaction.block_height = event.block_height and transaction.transaction_index = event.transaction_index
       and transaction.block_height >= $1 and transaction.block_height < $2
     where event.block_height >= $1 and event.block_height < $2 and ${rawHeights} @> event.block_height
       and transaction.id is distinct from event.transaction_id
     order by event.block_height, event.transaction_index, event.event_index limit $3`,
    [range.from, range.to, limit],
  )
  return [...findings, ...orphans.map(orphan)]
}

function orphan(row: OrphanRow): Finding {
  const height = heightFrom(row.block_height)
  return {
    check: "event-places",
    table: "raw.events",
    heights: oneBlock(height),
    key: {
      block_height: row.block_height,
      transaction_index: String(row.transaction_index),
      event_index: String(row.event_index),
    },
    ...(row.id ? { expected: hex(row.id) } : {}),
    found: hex(row.transaction_id),
    message: row.id
      ? `event ${row.event_index} of block ${height} names transaction ${hex(row.transaction_id)}, but transaction ${row.transaction_index} is ${hex(row.id)}`
      : `event ${row.event_index} of block ${height} belongs to transaction ${row.transaction_index}, which is not there`,
    remedy: refetchBlock(height),
  }
}
