// Where the stretch that holds the chain's start ends, recomputed from coverage without the product's code or its views.

import { parseMultirange } from "../../proof/checker/height-ranges.js"

export interface CoverageText {
  /** Multiranges, as the database prints them. */
  readonly heights: string
  readonly skipped: string
}

/** Exclusive; `start` itself where nothing is complete. */
export function prefixEnd({ heights, skipped }: CoverageText, start: number): number {
  const done = [...parseMultirange(heights), ...parseMultirange(skipped)].sort((a, b) => a.from - b.from)
  let end = start
  for (const { from, to } of done) if (from <= end && end < to) end = to
  return end
}

/** What `indexing_checkpoints` has to say of it. */
export const lastHeight = (coverage: CoverageText, start: number): number | null => {
  const end = prefixEnd(coverage, start)
  return end > start ? end - 1 : null
}
