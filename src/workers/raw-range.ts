// The contract of reading the raw blocks of a range: from one snapshot, which also proves that raw covers the range and
// contains the chain's epoch. A family defines its blocks for its own workers.

import type { BlockRange } from "../domain/block-range.js"
import type { SqlConnection } from "../postgres/sql-connection.js"

/** What the runtime itself reads of a block. */
export interface ReadableBlock {
  readonly height: number
  readonly events: readonly unknown[]
}

export interface RawRange<Block extends ReadableBlock = ReadableBlock> {
  /** The chain's epoch in the snapshot: a rollback newer than this refuses the commit. */
  readonly chainEpoch: number
  /** The next blocks in order, a bounded number of rows at a time; undefined after the last. */
  next(): Promise<readonly Block[] | undefined>
  close(): Promise<void>
}

export interface RawReader<Block extends ReadableBlock = ReadableBlock> {
  /** Throws NOT_COVERED when raw does not cover all of it. */
  open(range: BlockRange): Promise<RawRange<Block>>
}

export interface StoredBlocks<Block extends ReadableBlock = ReadableBlock> {
  readonly count: number
  /** As in a RawRange. */
  next(): Promise<readonly Block[] | undefined>
}

/** A family's blocks of a range out of its tables, on a connection that has a snapshot open. */
export type ReadBlocks<Block extends ReadableBlock = ReadableBlock> = (
  connection: SqlConnection,
  range: BlockRange,
) => Promise<StoredBlocks<Block>>
