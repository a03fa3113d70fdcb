// How many blocks a range may have, learnt from the ones before: as many as keep the rows it changes locked for no longer than
// others can wait for them, and as it takes to make a transaction worth its while.

export interface PaceOptions {
  readonly maxBlocks: number
  /** State rows are locked for about this long at most. */
  readonly foldMs: number
  /** The same, once a tip was seen to wait for them. */
  readonly foldMsBesideTip: number
  /** A whole range takes about this long at most. */
  readonly totalMs: number
}

export interface PaceLesson {
  readonly blocks: number
  readonly foldMs: number
  readonly totalMs: number
  /** Whether a tip has waited lately. */
  readonly besideTip: boolean
}

const firstBlocks = 64

/**
 * Folding has a fixed cost, which a busy machine can stretch beyond any limit on its own: shorter ranges would pay it more
 * often and end nothing sooner. Below this only ranges shrink that take long as a whole.
 */
const foldBlocks = 16

export class Pace {
  blocks: number
  private readonly options: PaceOptions

  constructor(options: PaceOptions) {
    this.options = options
    this.blocks = Math.min(firstBlocks, options.maxBlocks)
  }

  /**
   * Grows fourfold at most, shrinks at once. Long ranges are worth it: a key that many blocks touch is written once for all of them, and
   * with 400 blocks a range that was half as many writes of accounts as with 40.
   */
  learn({ blocks, foldMs, totalMs, besideTip }: PaceLesson): void {
    if (blocks === 0) return
    const { options } = this
    const byFold = fitting(blocks, foldMs, besideTip ? options.foldMsBesideTip : options.foldMs)
    const byTotal = fitting(blocks, totalMs, options.totalMs)
    const wanted = Math.min(Math.max(byFold, foldBlocks), byTotal)
    // What a range of this size costs says nothing about a larger one, except that it may be tried.
    const next = Math.min(wanted, this.blocks * 4)
    this.blocks = Math.max(1, Math.min(options.maxBlocks, Math.round(next)))
  }
}

const fitting = (blocks: number, tookMs: number, limitMs: number): number =>
  tookMs > 0 ? (blocks * limitMs) / tookMs : Number.POSITIVE_INFINITY
