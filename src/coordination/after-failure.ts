// What happens to a range that failed: a retry, smaller ranges or, for one block after enough attempts, DEAD. Pure.
// A poison block is found quickly: at once when the failure names it, else by halving, after a few attempts or at the first
// bug.

import type { BlockRange } from "../domain/block-range.js"
import { subtract } from "../domain/range-set.js"

export interface FailurePolicy {
  /** For one-block ranges only: longer ones are split before they die. */
  readonly maxAttempts: number
  readonly splitAfterAttempts: number
  readonly backoffBaseMs: number
  readonly backoffMaxMs: number
}

/**
 * One policy for all ranges, at the tip as in history: the same block may fail at the tip, in a lane and at the reaper, so its
 * waits belong to the block. Attempts follow after 1, 3, 7, 15 and 31 s, so that a transient fault at the tip is over before a
 * reader notices, and a raw block that stays wrong delays the head for 3 attempts only, 3 s. Twenty attempts take about a
 * quarter of an hour.
 */
export const defaultFailurePolicy: FailurePolicy = {
  maxAttempts: 20,
  splitAfterAttempts: 3,
  backoffBaseMs: 1_000,
  backoffMaxMs: 60_000,
}

export type Verdict =
  | { readonly kind: "retry" }
  | { readonly kind: "dead" }
  | { readonly kind: "split"; readonly parts: readonly [BlockRange, ...BlockRange[]] }

export interface FailedAttempt {
  readonly range: BlockRange
  readonly attempt: number
  /** The block at fault, where known. */
  readonly height?: number | undefined
  /** An error in Tidemark: the block is retried without limit. */
  readonly isBug?: boolean
}

export function afterFailure(
  policy: FailurePolicy,
  { range, attempt, height, isBug = false }: FailedAttempt,
): Verdict {
  const length = range.to - range.from
  if (length === 1) return attempt >= policy.maxAttempts && !isBug ? { kind: "dead" } : { kind: "retry" }
  if (height !== undefined && height >= range.from && height < range.to) {
    const block = { from: height, to: height + 1 }
    const parts = [...subtract([range], [block]), block].sort((a, b) => a.from - b.from)
    return { kind: "split", parts: parts as [BlockRange, ...BlockRange[]] }
  }
  if (attempt < policy.splitAfterAttempts && !isBug) return { kind: "retry" }
  const middle = range.from + Math.floor(length / 2)
  return {
    kind: "split",
    parts: [
      { from: range.from, to: middle },
      { from: middle, to: range.to },
    ],
  }
}

/** Shortened by up to half at random, so that many ranges are not retried at once. */
export function backoffMs(policy: FailurePolicy, attempt: number, random: number): number {
  const full = Math.min(policy.backoffMaxMs, policy.backoffBaseMs * 2 ** Math.max(0, Math.min(attempt - 1, 30)))
  return Math.round(full * (1 - random / 2))
}
