// The first block of a range against the node's own word for the block below it, where that one is not stored yet. Within
// a range every parent is checked by the block before; a false one at its start would be found only when the neighbour
// comes, and then the false block would be the one that is stored.

import type { BlockRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockSource } from "../source/block-source.js"
import { rawIngester } from "./raw-tables.js"
import type { RangeEdges } from "./raw-writer.js"

export async function checkParent(
  { tx, source }: { tx: Queryable; source: Pick<BlockSource, "blockHash"> },
  { range, edges, signal }: { range: BlockRange; edges: RangeEdges; signal: AbortSignal },
): Promise<void> {
  const below = range.from - 1
  if (below < 0) return
  const {
    rows: [store],
  } = await tx.query<{ covered: boolean; start_height: string }>(
    `select heights @> $2::int8 as covered, start_height
     from raw.coverage cross join raw.chain_state where worker_type = $1`,
    [rawIngester, below],
  )
  // The seam check compares with what is stored.
  if (!store || store.covered) return
  const hash = await source.blockHash(below, { signal })
  if (hash === null) {
    // Nobody needs what lies below the start, so a node may have pruned it.
    if (range.from <= heightFrom(store.start_height)) return
    throw new IndexerError(
      "RPC_BLOCK_MISSING",
      `the node has no block ${below} to compare block ${range.from} with; it may lag behind`,
      { data: { height: below } },
    )
  }
  const { parentHash } = edges.first
  if (parentHash.toLowerCase() === hash.toLowerCase()) return
  throw new IndexerError(
    "PARENT_MISMATCH",
    `block ${range.from} names ${parentHash} as its parent, but the node says block ${below} is ${hash}: the chain moved between two answers, or one of them is false`,
    { data: { height: range.from, parentHash, hash } },
  )
}
