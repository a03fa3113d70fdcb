// What a block and a transaction say of their size is what is there.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { type Finding, oneBlock, refetchBlock } from "./finding.js"
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
     left join (select block_height, count(*)::int4 as transactions from raw.transactions
       where block_height >= $1 and block_height < $2 group by block_height) as stored on stored.block_height = block.height
     left join (select block_height, count(*)::int4 as events from raw.events
       where block_height >= $1 and block_height < $2 group by block_height) as logged on logged.block_height = block.height
     where block.height >= $1 and block.height < $2 and ${rawHeights} @> block.height
       and (block.transaction_count <> coalesce(stored.transactions, 0) or block.event_count <> coalesce(logged.events, 0))
     order by block.height limit $3`,
    bounds,
  )
  const { rows: transactions } = await tx.query<TransactionCounts>(
    `select transaction.block_height, transaction.transaction_index, transaction.event_count, coalesce(logged.events, 0) as events
     from raw.transactions as transaction
     left join (select block_height, transaction_index, count(*)::int4 as events from raw.events
       where block_height >= $1 and block_height < $2 group by block_height, transaction_index) as logged
       using (block_height, transaction_index)
     where transaction.block_height >= $1 and transaction.block_height < $2 and ${rawHeights} @> transaction.block_height
       and transaction.event_count <> coalesce(logged.events, 0)
     order by transaction.block_height, transaction.transaction_index limit $3`,
    bounds,
  )
  return [...blocks.flatMap(ofBlock), ...transactions.map(ofTransaction)]
}

function ofBlock(row: BlockCounts): Finding[] {
  const height = heightFrom(row.height)
  const differing = (["transactions", "events"] as const)
    .map((what) => ({
      what,
      expected: row[what === "events" ? "event_count" : "transaction_count"],
      found: row[what],
    }))
    .filter(({ expected, found }) => expected !== found)
  return differing.map(({ what, expected, found }) => ({
    check: "counts",
    table: `raw.${what}`,
    heights: oneBlock(height),
    expected: String(expected),
    found: String(found),
    message: `block ${height} says it has ${expected} ${what}, but ${found} are stored`,
    remedy: refetchBlock(height),
  }))
}

function ofTransaction(row: TransactionCounts): Finding {
  const height = heightFrom(row.block_height)
  return {
    check: "counts",
    table: "raw.events",
    heights: oneBlock(height),
    key: { block_height: row.block_height, transaction_index: String(row.transaction_index) },
    expected: String(row.event_count),
    found: String(row.events),
    message: `transaction ${row.transaction_index} of block ${height} says it has ${row.event_count} events, but ${row.events} are stored`,
    remedy: refetchBlock(height),
  }
}
