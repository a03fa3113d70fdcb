// The indexes of transactions and events in a block have no gaps or duplicates, and each event belongs to a stored
// transaction.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { damagedBlock, type Finding } from "./finding.js"
import { hex, type RawPieceOptions, rawHeights } from "./raw-piece.js"

interface OrphanRow {
  block_height: string
  transaction_index: number
  event_index: number
  transaction_id: Buffer
  id: Buffer | null
}

export async function checkEventPlaces(
  tx: Queryable,
  { range, limit, family, exceptions }: RawPieceOptions,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { table: name, numbered } of family.rawTables) {
    if (!numbered || (numbered.isByChain && exceptions.some(({ rule }) => rule === "event-numbers"))) continue
    const { column, within } = numbered
    const table = `raw.${name}`
    const { rows } = await tx.query<{ height: string; count: number; different: number; highest: number }>(
      `select block_height as height, count(*)::int4 as count, count(distinct ${column})::int4 as different,
         max(${column}) as highest
       from ${table} where block_height >= $1 and block_height < $2 and ${rawHeights} @> block_height
       group by ${within.join(", ")}
       having min(${column}) <> 0 or max(${column}) <> count(*) - 1 or count(distinct ${column}) <> count(*)
       order by block_height limit $3`,
      [range.from, range.to, limit],
    )
    for (const row of rows) {
      const { height, count, different, highest } = row
      findings.push(
        damagedBlock(heightFrom(height), {
          check: "event-places",
          table,
          expected: `0 to ${count - 1}`,
          found: `${different} different up to ${highest}`,
          message: `block ${height} has ${count} rows in ${table}, but their ${column} is not 0 to ${count - 1}`,
        }),
      )
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

function orphan({ id, block_height, transaction_index, event_index, transaction_id }: OrphanRow): Finding {
  const event = `event ${event_index} of block ${block_height}`
  const named = hex(transaction_id)
  return damagedBlock(heightFrom(block_height), {
    check: "event-places",
    table: "raw.events",
    key: {
      block_height,
      transaction_index: String(transaction_index),
      event_index: String(event_index),
    },
    ...(id ? { expected: hex(id) } : {}),
    found: named,
    message: id
      ? `${event} names transaction ${named}, but transaction ${transaction_index} is ${hex(id)}`
      : `${event} belongs to transaction ${transaction_index}, which is missing`,
  })
}
