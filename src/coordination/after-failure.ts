// What becomes of a range that failed: another try, smaller ranges, or, for one block tried often enough, DEAD. Pure.
// A poison block is found quickly: at once when the failure named it, else by halving after a few tries.

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
 * One policy for all ranges, at the tip as in history: the same block may fail in the thread of the tip, in a lane and at the reaper, so
 * that its waits belong to the block and not to whoever had it last. Tries come after 1, 3, 7, 15 and 31 s: more of them, and sooner,
 * than with waits of 5, 10 and 20 s, so that a passing fault at the tip is over before a reader notices; and a block of raw that
 * stays wrong holds the head up for 3 tries only, 3 s. Twenty tries take about a quarter of an hour.
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
  /** An error of Tidemark's own: the block is retried for as long as it takes. */
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
  if (attempt < policy.splitAfterAttempts) return { kind: "retry" }
  const middle = range.from + Math.floor(length / 2)
  return {
    kind: "split",
    parts: [
      { from: range.from, to: middle },
      { from: middle, to: range.to },
    ],
  }
}

/** Full backoff is halved by up to 50 % at random, so that a crowd does not come back as one. */
export function backoffMs(policy: FailurePolicy, attempt: number, random: number): number {
  const full = Math.min(
    policy.backoffMaxMs,
    policy.backoffBaseMs * 2 ** Math.max(0, Math.min(attempt - 1, 30)),
  )
  return Math.round(full * (1 - random / 2))
}
