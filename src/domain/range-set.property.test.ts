import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { BlockRange } from "./block-range.js"
import {
  contains,
  containsHeight,
  countHeights,
  intersect,
  type RangeSet,
  rangeSet,
  subtract,
  union,
  watermarkEnd,
} from "./range-set.js"

const limit = 60
const ranges = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: limit - 1 }), fc.integer({ min: 1, max: 12 }))
    .map(([from, length]): BlockRange => ({ from, to: Math.min(limit, from + length) })),
  { maxLength: 8 },
)

// The independent meaning of a range set: the plain set of its heights.
const heightsOf = (set: Iterable<BlockRange>): Set<number> => {
  const out = new Set<number>()
  for (const range of set) for (let height = range.from; height < range.to; height++) out.add(height)
  return out
}
const sorted = (set: Set<number>): number[] => [...set].sort((a, b) => a - b)
const isCanonical = (set: RangeSet): boolean =>
  set.every((range, i) => range.from < range.to && (i === 0 || set[i - 1]!.to < range.from))

describe("range sets", () => {
  test("joining ranges gives the canonical form of the same heights", () => {
    fc.assert(
      fc.property(ranges, (input) => {
        const set = rangeSet(input)
        expect(isCanonical(set)).toBe(true)
        expect(sorted(heightsOf(set))).toEqual(sorted(heightsOf(input)))
        expect(countHeights(set)).toBe(heightsOf(input).size)
      }),
    )
  })

  test("union, intersection and difference are those of sets of heights", () => {
    fc.assert(
      fc.property(ranges, ranges, (x, y) => {
        const [a, b] = [rangeSet(x), rangeSet(y)]
        const [m, n] = [heightsOf(a), heightsOf(b)]
        const cases: [RangeSet, number[]][] = [
          [union(a, b), sorted(new Set([...m, ...n]))],
          [intersect(a, b), sorted(m).filter((height) => n.has(height))],
          [subtract(a, b), sorted(m).filter((height) => !n.has(height))],
        ]
        for (const [set, expected] of cases) {
          expect(isCanonical(set)).toBe(true)
          expect(sorted(heightsOf(set))).toEqual(expected)
        }
      }),
    )
  })

  test("a range is contained only when every height of it is", () => {
    fc.assert(
      fc.property(
        ranges,
        fc.integer({ min: 0, max: limit - 1 }),
        fc.integer({ min: 1, max: 9 }),
        (x, from, length) => {
          const set = rangeSet(x)
          const all = heightsOf(set)
          const wanted = Array.from({ length }, (_, i) => from + i)
          expect(contains(set, { from, to: from + length })).toBe(wanted.every((height) => all.has(height)))
          expect(containsHeight(set, from)).toBe(all.has(from))
        },
      ),
    )
  })

  test("the watermark is the first height from the start that is missing, whatever lies above", () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 0, max: limit - 1 }), (x, start) => {
        const all = heightsOf(x)
        let expected = start
        while (all.has(expected)) expected++
        expect(watermarkEnd(rangeSet(x), start)).toBe(expected)
      }),
    )
  })
})
