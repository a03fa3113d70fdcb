// What the checks of raw rows share: a piece is a range of heights, read in one snapshot.

import type { BlockRange } from "../domain/block-range.js"
import type { ChainFamily, StoreException } from "../families/chain-family.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Finding } from "./finding.js"

export interface PieceOptions {
  readonly range: BlockRange
  /** The most findings of one check in one piece. */
  readonly limit: number
}

export interface RawPieceOptions extends PieceOptions {
  readonly family: Pick<ChainFamily, "rawTables">
  readonly exceptions: readonly StoreException[]
}

export type RawCheck = (tx: Queryable, options: RawPieceOptions) => Promise<readonly Finding[]>

/** A subquery, so that each statement reads the coverage in its own snapshot. */
export const rawHeights = "(select heights from raw.coverage where worker_type = 'raw_ingester')"

export const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`
