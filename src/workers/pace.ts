// How many blocks a range may have, learnt from earlier ranges: enough to make a transaction worth its cost, but not so many
// that its row locks delay others for too long.

export interface PaceOptions {
  readonly maxBlocks: number
  /** State rows are locked for about this long at most. */
  readonly foldMs: number
  /** The same beside a moving tip. */
  readonly foldMsBesideTip: number
  /** A whole range takes about this long at most. */
  readonly totalMs: number
}

export interface PaceLesson {
  readonly blocks: number
  readonly foldMs: number
  readonly totalMs: number
  /** Whether a tip moves, or has waited lately. */
  readonly besideTip: boolean
}

const firstBlocks = 64

/**
 * Folding has a fixed cost, which can exceed any limit on a busy machine: shorter ranges would only pay it more often.
 * Below this many blocks, only the total time shrinks ranges.
 */
const foldBlocks = 16

export class Pace {
  blocks: number

  constructor(private readonly options: PaceOptions) {
    this.blocks = Math.min(firstBlocks, options.maxBlocks)
  }

  /**
   * Grows fourfold at most, shrinks at once. Long ranges pay off: a key that many blocks touch is written once. With 400
   * blocks a range, accounts took half as many writes as with 40.
   */
  learn({ blocks, foldMs, totalMs, besideTip }: PaceLesson): void {
    if (blocks === 0) return
    const { options } = this
    const byFold = fitting(blocks, foldMs, besideTip ? options.foldMsBesideTip : options.foldMs)
    const byTotal = fitting(blocks, totalMs, options.totalMs)
    const wanted = Math.min(Math.max(byFold, foldBlocks), byTotal)
    // The cost of a much larger range is unknown, so it is approached in steps.
    const next = Math.min(wanted, this.blocks * 4)
    this.blocks = Math.max(1, Math.min(options.maxBlocks, Math.round(next)))
  }
}

const fitting = (blocks: number, tookMs: number, limitMs: number): number =>
  tookMs > 0 ? (blocks * limitMs) / tookMs : Number.POSITIVE_INFINITY
