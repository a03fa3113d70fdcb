// One thing that is wrong with a store, precise enough to locate the row, and what repairs it.

import type { BlockRange } from "../domain/block-range.js"
import type { StateRowText } from "../workers/postgres/diff-fold.js"

export type CheckName =
  | "raw-rows"
  | "parent-links"
  | "counts"
  | "event-places"
  | "row-lookups"
  | "stray-lookups"
  | "coverage"
  | "stray-rows"
  | "derived-rows"
  | "folds"
  | "node"

export type Remedy =
  /** Rewrites the lookups of these heights from their rows. */
  | { readonly kind: "write-lookups"; readonly heights: BlockRange }
  | {
      readonly kind: "delete-lookup"
      readonly table: "tx_lookup" | "block_lookup"
      readonly id: string
      readonly height: number
    }
  /** Deletes rows outside of the coverage. The table has its schema; it is a worker's or a raw table. */
  | {
      readonly kind: "delete-rows"
      readonly table: string
      readonly worker: string
      readonly heights: BlockRange
    }
  /** Rolls back these heights alone, so that ingestion fetches the blocks again. */
  | { readonly kind: "refetch"; readonly heights: BlockRange }
  /** Reopens the worker's heights, so that it derives them again. */
  | { readonly kind: "rederive"; readonly worker: string; readonly heights: BlockRange }
  | { readonly kind: "refold"; readonly worker: string; readonly table: string; readonly key: StateRowText }
  | { readonly kind: "none"; readonly advice: string }

export interface Finding {
  readonly check: CheckName
  /** Includes the schema. */
  readonly table: string
  /** Undefined for a row of a state table, which has no height. */
  readonly heights: BlockRange | undefined
  /** The row, if the finding is about a single one. */
  readonly key?: StateRowText
  readonly expected?: string
  readonly found?: string
  readonly message: string
  readonly remedy: Remedy
}

/** A check, or a part of it, that was not done. */
export interface SkippedCheck {
  readonly check: CheckName
  readonly part: string
  readonly why: string
}

export const oneBlock = (height: number): BlockRange => ({ from: height, to: height + 1 })

/** Damage within one block, which repair fetches again. */
export const damagedBlock = (height: number, fields: Omit<Finding, "heights" | "remedy">): Finding => {
  const heights = oneBlock(height)
  return { ...fields, heights, remedy: { kind: "refetch", heights } }
}

/** What `tidemark repair` would do, in words. */
export function describeRemedy(remedy: Remedy): string {
  switch (remedy.kind) {
    case "write-lookups":
      return "rewrite the lookups from the rows"
    case "delete-lookup":
      return "delete the lookup"
    case "delete-rows":
      return "delete the rows"
    case "refetch":
      return "roll back the block with everything derived from it, and fetch it again"
    case "rederive":
      return `reopen the height for ${remedy.worker}, which derives it again`
    case "refold":
      return "recompute the row from its events"
    case "none":
      return remedy.advice
  }
}
