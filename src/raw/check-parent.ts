// Compares the first block of a range with the node's hash of the block below, where that block is not stored yet.
// Inside a range each block is checked against the one before it; a wrong parent at the start would surface only
// with the neighbouring range, when the wrong block is already stored. The hash arrives with the range's first
// blocks. If it is missing or does not match, the node is asked once more.

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

/** Whether the block below a range exists and is not stored. */
export async function parentIsUnknown(sql: Queryable, range: BlockRange): Promise<boolean> {
  return range.from > 0 && (await readParentState(sql, range))?.covered === false
}

interface CheckParentOptions {
  readonly range: BlockRange
  readonly edges: RangeEdges
  /** The hash of the block below that came with the range, if any. */
  readonly reported: Hex | undefined
  readonly fetch: FetchOptions
}

export async function checkParent(
  { tx, source }: { tx: Queryable; source: Pick<BlockSource, "blockHash"> },
  { range, edges, reported, fetch }: CheckParentOptions,
): Promise<void> {
  const { parentHash } = edges.first
  const below = range.from - 1
  if (below < 0 || reported?.toLowerCase() === parentHash.toLowerCase()) return
  const store = await readParentState(tx, range)
  // The seam check compares with a stored block.
  if (!store || store.covered) return
  const hash = await source.blockHash(below, fetch)
  if (hash === null) {
    // A node may have pruned blocks below the start; they are never stored.
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
    `block ${range.from} names ${parentHash} as its parent, but the node reports ${hash} for block ${below}: ` +
      "the chain moved between two answers, or one of them is wrong",
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
