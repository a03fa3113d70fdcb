// One thing that is wrong with a store, named so exactly that a person finds the row, and what would mend it.

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
  /** The lookups of these heights are written anew from their rows. */
  | { readonly kind: "write-lookups"; readonly heights: BlockRange }
  | {
      readonly kind: "delete-lookup"
      readonly table: "tx_lookup" | "block_lookup"
      readonly id: string
      readonly height: number
    }
  /** Rows that no coverage stands for are deleted. The table with its schema; a worker's, or a raw one. */
  | {
      readonly kind: "delete-rows"
      readonly table: string
      readonly worker: string
      readonly heights: BlockRange
    }
  /** The blocks are taken back as by a rollback of these heights alone, and fetched again. */
  | { readonly kind: "refetch"; readonly heights: BlockRange }
  /** The worker's heights are reopened, and derived again. */
  | { readonly kind: "rederive"; readonly worker: string; readonly heights: BlockRange }
  | { readonly kind: "refold"; readonly worker: string; readonly table: string; readonly key: StateRowText }
  | { readonly kind: "none"; readonly advice: string }

export interface Finding {
  readonly check: CheckName
  /** With its schema. */
  readonly table: string
  /** Undefined for a row of a state table, which is of no height. */
  readonly heights: BlockRange | undefined
  /** Which row, where it is about one. */
  readonly key?: StateRowText
  readonly expected?: string
  readonly found?: string
  readonly message: string
  readonly remedy: Remedy
}

export const oneBlock = (height: number): BlockRange => ({ from: height, to: height + 1 })

export const refetchBlock = (height: number): Remedy => ({ kind: "refetch", heights: oneBlock(height) })

/** What `repair` would do, for people. */
export function describeRemedy(remedy: Remedy): string {
  switch (remedy.kind) {
    case "write-lookups":
      return "the lookups are written anew from the rows"
    case "delete-lookup":
      return "the lookup is deleted"
    case "delete-rows":
      return "the rows are deleted"
    case "refetch":
      return "the block is taken back, with all that is derived from it, and fetched again"
    case "rederive":
      return `the height is given back to ${remedy.worker}, and derived again`
    case "refold":
      return "the row is folded anew from its events"
    case "none":
      return remedy.advice
  }
}
