// What the checks of raw rows have in common: a stretch of heights in one snapshot, and what raw says it covers.

import type { BlockRange } from "../domain/block-range.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Finding } from "./finding.js"

export interface PieceOptions {
  readonly range: BlockRange
  /** The most findings of one check in one piece. */
  readonly limit: number
}

export type RawCheck = (tx: Queryable, options: PieceOptions) => Promise<readonly Finding[]>

/** As a subquery, so that each statement reads it in the snapshot it runs in. */
export const rawHeights = "(select heights from raw.coverage where worker_type = 'raw_ingester')"

export const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`
