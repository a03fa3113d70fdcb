// A set of heights as sorted, disjoint, non-touching ranges: coverage, gaps and remaining work.
// Every function returns the canonical form, so two equal sets are equal arrays.

import type { BlockRange } from "./block-range.js"

export type RangeSet = readonly BlockRange[]

export const emptySet: RangeSet = []

/** Sorts, drops empty ranges, and joins what overlaps or touches. */
export function rangeSet(ranges: Iterable<BlockRange>): RangeSet {
  const sorted = [...ranges].filter((range) => range.to > range.from).sort((a, b) => a.from - b.from)
  const out: { from: number; to: number }[] = []
  for (const range of sorted) {
    const last = out.at(-1)
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else out.push({ from: range.from, to: range.to })
  }
  return out
}

export const union = (a: RangeSet, b: RangeSet): RangeSet => rangeSet([...a, ...b])

export function intersect(a: RangeSet, b: RangeSet): RangeSet {
  const out: BlockRange[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]!
    const y = b[j]!
    const from = Math.max(x.from, y.from)
    const to = Math.min(x.to, y.to)
    if (from < to) out.push({ from, to })
    if (x.to < y.to) i++
    else j++
  }
  return out
}

export function subtract(a: RangeSet, b: RangeSet): RangeSet {
  const out: BlockRange[] = []
  let j = 0
  for (const range of a) {
    let from = range.from
    while (j < b.length && b[j]!.to <= from) j++
    for (let k = j; k < b.length && b[k]!.from < range.to; k++) {
      if (b[k]!.from > from) out.push({ from, to: b[k]!.from })
      from = Math.max(from, b[k]!.to)
    }
    if (from < range.to) out.push({ from, to: range.to })
  }
  return out
}

export function contains(set: RangeSet, range: BlockRange): boolean {
  return set.some((part) => part.from <= range.from && range.to <= part.to)
}

export const containsHeight = (set: RangeSet, height: number): boolean =>
  contains(set, { from: height, to: height + 1 })

export const countHeights = (set: RangeSet): number => set.reduce((sum, range) => sum + range.to - range.from, 0)

/**
 * The end of the range that contains the chain's start: every height from the start up to it is in the set.
 * Equal to `start` when nothing is complete. Never the largest height: a hole stops it.
 */
export function watermarkEnd(set: RangeSet, start: number): number {
  return set.find((part) => part.from <= start && start < part.to)?.to ?? start
}
