// The first block of a range against the node's own word for the block below it, where that one is not stored yet. Within
// a range every parent is checked by the block before; a false one at its start would be found only when the neighbour
// comes, and then the false block would be the one that is stored. The word comes with the range's first blocks; where it
// did not, or does not fit, the node is asked once more.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Hex } from "../domain/linked-block.js"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockSource, FetchOptions } from "../source/block-source.js"
import type { RangeEdges } from "./range-tally.js"

interface ParentState {
  readonly covered: boolean
  readonly start_height: string
}

/** Whether the block below a range is worth asking for: it exists, and is not stored. */
export async function parentIsUnknown(sql: Queryable, range: BlockRange): Promise<boolean> {
  return range.from > 0 && (await readParentState(sql, range))?.covered === false
}

export interface CheckParentOptions {
  readonly range: BlockRange
  readonly edges: RangeEdges
  /** The hash of the block below as it came with the range; undefined when none did. */
  readonly told: Hex | undefined
  readonly fetch: FetchOptions
}

export async function checkParent(
  { tx, source }: { tx: Queryable; source: Pick<BlockSource, "blockHash"> },
  { range, edges, told, fetch }: CheckParentOptions,
): Promise<void> {
  const { parentHash } = edges.first
  const below = range.from - 1
  if (below < 0 || told?.toLowerCase() === parentHash.toLowerCase()) return
  const store = await readParentState(tx, range)
  // The seam check compares with what is stored.
  if (!store || store.covered) return
  const hash = await source.blockHash(below, fetch)
  if (hash === null) {
    // Nobody needs what lies below the start, so a node may have pruned it.
    if (range.from <= heightFrom(store.start_height)) return
    throw new IndexerError(
      "RPC_BLOCK_MISSING",
      `the node has no block ${below} to compare block ${range.from} with; it may lag behind`,
      { data: { height: below } },
    )
  }
  if (parentHash.toLowerCase() === hash.toLowerCase()) return
  throw new IndexerError(
    "PARENT_MISMATCH",
    `block ${range.from} names ${parentHash} as its parent, but the node says block ${below} is ${hash}: the chain moved between two answers, or one of them is false`,
    { data: { height: range.from, parentHash, hash } },
  )
}

async function readParentState(sql: Queryable, range: BlockRange): Promise<ParentState | undefined> {
  const { rows } = await sql.query<ParentState>(
    `select heights @> $2::int8 as covered, start_height
     from raw.coverage cross join raw.chain_state where worker_type = $1`,
    [rawIngester, range.from - 1],
  )
  return rows[0]
}
