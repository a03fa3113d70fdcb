// Counts the blocks of a range on their way to the writer and keeps the ends that the seam check compares. Refuses
// blocks that do not follow one another, and an incomplete range.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import type { Hex, LinkedBlock } from "../domain/linked-block.js"

export interface RangeEdges {
  readonly first: { readonly height: number; readonly parentHash: Hex }
  readonly last: { readonly height: number; readonly hash: Hex }
}

export type RangeTotals = Readonly<RangeTally["totals"]>

export class RangeTally {
  readonly totals = { blocks: 0, transactions: 0, events: 0, encodedBytes: 0, sourceBytes: 0 }
  private first: RangeEdges["first"] | undefined
  private last: RangeEdges["last"] | undefined

  add(block: LinkedBlock): void {
    if (this.last && block.height !== this.last.height + 1) {
      throw new Error(`block ${block.height} came after block ${this.last.height}`)
    }
    this.first ??= { height: block.height, parentHash: block.parentHash }
    this.last = { height: block.height, hash: block.hash }
    const { totals } = this
    totals.blocks++
    totals.transactions += block.transactionCount
    totals.events += block.eventCount
    totals.sourceBytes += block.sourceBytes
  }

  /** The ends of the range. Throws when the blocks added are not exactly this range. */
  edges(range: BlockRange): RangeEdges {
    const { first, last } = this
    if (!first || !last || first.height !== range.from || last.height !== range.to - 1) {
      throw new Error(`the source gave [${first?.height}, ${last?.height}] for ${formatRange(range)}`)
    }
    return { first, last }
  }
}
