// Finds lookups without a row. They have no index by height, so it scans them by hash, a bounded number at a time.

import type { BlockRange } from "../domain/block-range.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { type Finding, oneBlock } from "./finding.js"
import { hex } from "./raw-piece.js"

export interface StrayLookupOptions {
  /** Reports only the lookups of these heights. */
  readonly heights: BlockRange
  /** The first byte of the hashes to scan; all hashes if undefined. */
  readonly part?: number | undefined
  readonly limit: number
  /** Lookups read at once. */
  readonly perPiece: number
}

interface PieceRow {
  id: Buffer
  height: string
  stray: boolean
}

const tables = [
  {
    table: "tx_lookup",
    height: "block_height",
    what: "transaction",
    row: "select 1 from raw.transactions as row where row.block_height = piece.height and row.id = piece.id",
  },
  {
    table: "block_lookup",
    height: "height",
    what: "block",
    row: "select 1 from raw.blocks as row where row.height = piece.height and row.hash = piece.id",
  },
] as const

export async function* checkStrayLookups(
  raw: SqlExecutor,
  { heights, part, limit, perPiece }: StrayLookupOptions,
): AsyncGenerator<Finding> {
  const first = Buffer.from(part === undefined ? [] : [part])
  const end = part === undefined || part === 255 ? null : Buffer.from([part + 1])
  for (const { table, height, what, row: wanted } of tables) {
    let [id, at]: [Buffer, number] = [first, -1]
    for (;;) {
      const { rows } = await raw.transaction(
        (tx) =>
          tx.query<PieceRow>(
            `with piece as materialized (
               select id, ${height} as height from raw.${table}
               where (id, ${height}) > ($1::bytea, $2::int8) and ($3::bytea is null or id < $3::bytea)
               order by id, ${height} limit $4
             ), checked as (
               select piece.id, piece.height, not exists (${wanted}) as stray,
                 row_number() over (order by piece.id desc, piece.height desc) = 1 as is_last
               from piece
             )
             select id, height, stray from checked where stray or is_last order by id, height`,
            [id, at, end, perPiece],
          ),
        { isolation: "repeatable read", readOnly: true },
      )
      for (const row of rows.filter(({ stray }) => stray).slice(0, limit)) {
        const pointed = heightFrom(row.height)
        if (pointed < heights.from || pointed >= heights.to) continue
        yield {
          check: "stray-lookups",
          table: `raw.${table}`,
          heights: oneBlock(pointed),
          key: { id: hex(row.id) },
          found: `height ${pointed}`,
          message: `the lookup of ${what} ${hex(row.id)} points to height ${pointed}, which does not have it`,
          remedy: { kind: "delete-lookup", table, id: hex(row.id), height: pointed },
        }
      }
      const last = rows.at(-1)
      if (!last) break
      ;[id, at] = [last.id, heightFrom(last.height)]
    }
  }
}
