// Each covered block names the covered block below it as its parent.

import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Finding } from "./finding.js"
import { hex, type PieceOptions, rawHeights } from "./raw-piece.js"

export async function checkParentLinks(tx: Queryable, { range, limit }: PieceOptions): Promise<Finding[]> {
  const { rows } = await tx.query<{ height: string; parent_hash: Buffer; below_hash: Buffer }>(
    `select block.height, block.parent_hash, below.hash as below_hash
     from raw.blocks as block join raw.blocks as below on below.height = block.height - 1
     where block.height >= $1 and block.height < $2 and below.height >= $1::int8 - 1 and below.height < $2
       and ${rawHeights} @> int8range(block.height - 1, block.height + 1) and block.parent_hash <> below.hash
     order by block.height limit $3`,
    [range.from, range.to, limit],
  )
  return rows.map((row) => {
    const height = heightFrom(row.height)
    const heights = { from: height - 1, to: height + 1 }
    const [expected, found] = [hex(row.below_hash), hex(row.parent_hash)]
    return {
      check: "parent-links",
      table: "raw.blocks",
      heights,
      expected,
      found,
      message: `block ${height} names ${found} as its parent, but block ${height - 1} is ${expected}`,
      // The store alone does not show which of the two is wrong.
      remedy: { kind: "refetch", heights },
    }
  })
}
