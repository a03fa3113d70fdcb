// The raw blocks of one range as a worker reads them: from one snapshot, which also proves that raw covers the range and
// says at which epoch of the chain.

import type { BlockRange } from "../domain/block-range.js"
import type { BlockView } from "../families/evm/raw/block-view.js"

export interface RawRange {
  /** The chain's epoch in the snapshot: a rollback newer than this refuses the commit. */
  readonly chainEpoch: number
  /** The next blocks in order, a bounded number of rows at a time; undefined after the last. */
  next(): Promise<readonly BlockView[] | undefined>
  close(): Promise<void>
}

export interface RawReader {
  /** Throws NOT_COVERED when raw has not all of it, or no longer. */
  open(range: BlockRange): Promise<RawRange>
}
