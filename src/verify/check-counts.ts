// The counts that blocks and transactions declare match the stored rows.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { damagedBlock, type Finding } from "./finding.js"
import { type PieceOptions, rawHeights } from "./raw-piece.js"

interface BlockCounts {
  height: string
  transaction_count: number
  event_count: number
  transactions: number
  events: number
}

interface TransactionCounts {
  block_height: string
  transaction_index: number
  event_count: number
  events: number
}

export async function checkCounts(tx: Queryable, { range, limit }: PieceOptions): Promise<Finding[]> {
  const bounds = [range.from, range.to, limit]
  const { rows: blocks } = await tx.query<BlockCounts>(
    `select block.height, block.transaction_count, block.event_count,
       coalesce(stored.transactions, 0) as transactions, coalesce(logged.events, 0) as events
     from raw.blocks as block
     left join (select block_height as height, count(*)::int4 as transactions from raw.transactions
       where block_height >= $1 and block_height < $2 group by block_height) as stored using (height)
     left join (select block_height as height, count(*)::int4 as events from raw.events
       where block_height >= $1 and block_height < $2 group by block_height) as logged using (height)
     where block.height >= $1 and block.height < $2 and ${rawHeights} @> block.height
       and (block.transaction_count <> coalesce(stored.transactions, 0)
         or block.event_count <> coalesce(logged.events, 0))
     order by block.height limit $3`,
    bounds,
  )
  const { rows: transactions } = await tx.query<TransactionCounts>(
    `select transaction.block_height, transaction.transaction_index, transaction.event_count,
       coalesce(logged.events, 0) as events
     from raw.transactions as transaction
     left join (select block_height, transaction_index, count(*)::int4 as events from raw.events
       where block_height >= $1 and block_height < $2 group by block_height, transaction_index) as logged
       using (block_height, transaction_index)
     where transaction.block_height >= $1 and transaction.block_height < $2
       and ${rawHeights} @> transaction.block_height and transaction.event_count <> coalesce(logged.events, 0)
     order by transaction.block_height, transaction.transaction_index limit $3`,
    bounds,
  )
  return [...blocks.flatMap(ofBlock), ...transactions.map(ofTransaction)]
}

function ofBlock(row: BlockCounts): Finding[] {
  const height = heightFrom(row.height)
  const counts = [
    { what: "transactions", expected: row.transaction_count, found: row.transactions },
    { what: "events", expected: row.event_count, found: row.events },
  ]
  return counts
    .filter(({ expected, found }) => expected !== found)
    .map(({ what, expected, found }) =>
      damagedBlock(height, {
        check: "counts",
        table: `raw.${what}`,
        expected: String(expected),
        found: String(found),
        message: `block ${height} declares ${expected} ${what}, but ${found} are stored`,
      }),
    )
}

function ofTransaction(row: TransactionCounts): Finding {
  const { block_height, transaction_index: index, event_count: expected, events: found } = row
  return damagedBlock(heightFrom(block_height), {
    check: "counts",
    table: "raw.events",
    key: { block_height, transaction_index: String(index) },
    expected: String(expected),
    found: String(found),
    message: `transaction ${index} of block ${block_height} declares ${expected} events, but ${found} are stored`,
  })
}
