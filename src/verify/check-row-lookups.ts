// Every stored transaction and block has a lookup by hash with the right height, index and timestamp.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { type Finding, oneBlock } from "./finding.js"
import { hex, type PieceOptions, rawHeights } from "./raw-piece.js"

interface LookupRow {
  id: Buffer
  height: string
  expected: string
  found: string | null
}

export async function checkRowLookups(tx: Queryable, { range, limit }: PieceOptions): Promise<Finding[]> {
  const bounds = [range.from, range.to, limit]
  const { rows: transactions } = await tx.query<LookupRow>(
    `select transaction.id, transaction.block_height as height,
       'index ' || transaction.transaction_index || ', ' || block.timestamp as expected,
       'index ' || lookup.tx_index || ', ' || lookup.timestamp as found
     from raw.transactions as transaction
     join raw.blocks as block
       on block.height = transaction.block_height and block.height >= $1 and block.height < $2
     left join raw.tx_lookup as lookup using (id, block_height)
     where transaction.block_height >= $1 and transaction.block_height < $2
       and ${rawHeights} @> transaction.block_height
       and (lookup.id is null or lookup.tx_index <> transaction.transaction_index
         or lookup.timestamp <> block.timestamp)
     order by transaction.block_height, transaction.transaction_index limit $3`,
    bounds,
  )
  const { rows: blocks } = await tx.query<LookupRow>(
    `select block.hash as id, block.height, 'height ' || block.height || ', ' || block.timestamp as expected,
       'height ' || lookup.height || ', ' || lookup.timestamp as found
     from raw.blocks as block left join raw.block_lookup as lookup on lookup.id = block.hash
     where block.height >= $1 and block.height < $2 and ${rawHeights} @> block.height
       and (lookup.id is null or lookup.height <> block.height or lookup.timestamp <> block.timestamp)
     order by block.height limit $3`,
    bounds,
  )
  return [
    ...transactions.map((row) => finding("raw.tx_lookup", "transaction", row)),
    ...blocks.map((row) => finding("raw.block_lookup", "block", row)),
  ]
}

function finding(table: string, what: string, { id, height: text, expected, found }: LookupRow): Finding {
  const height = heightFrom(text)
  return {
    check: "row-lookups",
    table,
    heights: oneBlock(height),
    key: { id: hex(id) },
    expected,
    ...(found === null ? {} : { found }),
    message:
      found === null
        ? `${what} ${hex(id)} of block ${height} has no lookup`
        : `the lookup of ${what} ${hex(id)} says ${found}; its row at height ${height} says ${expected}`,
    remedy: { kind: "write-lookups", heights: oneBlock(height) },
  }
}
