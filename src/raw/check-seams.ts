// Compares both ends of a range with the stored neighbours. Runs in a statement of its own after the coverage row is
// locked: otherwise two neighbours in flight would not see each other and both commit unchecked.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import type { Queryable } from "../postgres/transaction.js"
import type { RangeEdges } from "./range-tally.js"

interface SeamRow {
  below_covered: boolean
  below_hash: Buffer | null
  above_covered: boolean
  above_parent_hash: Buffer | null
}

export async function checkSeams(
  tx: Queryable,
  { range, edges }: { range: BlockRange; edges: RangeEdges },
): Promise<void> {
  const {
    rows: [seam],
  } = await tx.query<SeamRow>(
    `select
       heights @> $2::int8 as below_covered,
       (select hash from raw.blocks where height = $2::int8) as below_hash,
       heights @> $3::int8 as above_covered,
       (select parent_hash from raw.blocks where height = $3::int8) as above_parent_hash
     from raw.coverage where worker_type = $1`,
    [rawIngester, range.from - 1, range.to],
  )
  if (seam!.below_covered) {
    compare({
      height: range.from,
      parentHash: edges.first.parentHash,
      stored: hexOf(seam!.below_hash, range.from - 1),
    })
  }
  if (seam!.above_covered) {
    const parentHash = hexOf(seam!.above_parent_hash, range.to)
    compare({ height: range.to, parentHash, stored: edges.last.hash })
  }
}

// A covered block without a row is damage, not a reason to skip the check.
function hexOf(bytes: Buffer | null, height: number): string {
  if (!bytes) throw new Error(`block ${height} is covered and has no row`)
  return `0x${bytes.toString("hex")}`
}

interface Seam {
  readonly height: number
  readonly parentHash: string
  readonly stored: string
}

function compare({ height, parentHash, stored }: Seam): void {
  if (parentHash.toLowerCase() === stored) return
  throw new IndexerError(
    "SEAM_MISMATCH",
    `block ${height} names ${parentHash} as its parent, but block ${height - 1} is ${stored}: ` +
      "the chain was reorganised, or a node is on another fork",
    { data: { height, parentHash, stored } },
  )
}
