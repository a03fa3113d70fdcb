import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { BlockRange } from "../domain/block-range.js"
import { containsHeight, rangeSet, subtract } from "../domain/range-set.js"
import { type ClaimView, chooseRange as chooseInRegion } from "./choose-range.js"
import type { ClaimRequest } from "./lease-store.js"

const limit = 40
const range = fc
  .tuple(fc.integer({ min: 0, max: limit - 1 }), fc.integer({ min: 1, max: 9 }))
  .map(([from, length]): BlockRange => ({ from, to: Math.min(limit, from + length) }))

// A consistent view: coverage, skipped and leases never overlap each other.
const view: fc.Arbitrary<ClaimView> = fc
  .tuple(
    fc.array(range, { maxLength: 5 }),
    fc.array(range, { maxLength: 3 }),
    fc.array(fc.tuple(range, fc.boolean()), { maxLength: 4 }),
    fc.array(fc.array(range, { maxLength: 4 }), { maxLength: 2 }),
  )
  .map(([covered, skippedRanges, leases, gates]) => {
    const heights = rangeSet(covered)
    const skipped = subtract(rangeSet(skippedRanges), heights)
    let taken = rangeSet([...heights, ...skipped])
    const unfinished: ClaimView["unfinished"][number][] = []
    for (const [leaseRange, due] of leases) {
      const [free] = subtract([leaseRange], taken)
      if (!free) continue
      unfinished.push({ id: String(unfinished.length + 1), range: free, due, stuck: false, dead: false, active: !due })
      taken = rangeSet([...taken, free])
    }
    return { heights, skipped, unfinished, gates: gates.map((gate) => rangeSet(gate)) }
  })

const request = fc
  .record({
    regions: fc.array(range, { minLength: 1, maxLength: 2 }),
    rangeSize: fc.integer({ min: 1, max: 10 }),
    maxBlocks: fc.integer({ min: 1, max: 10 }),
    order: fc.constantFrom("oldest" as const, "newest" as const),
  })
  .map((part): ClaimRequest => ({ ...part, worker: "w", holder: "h", ttlMs: 1000, dependencies: [] }))

const chooseRange = (seen: ClaimView, asked: ClaimRequest) => {
  for (const region of asked.regions) {
    const choice = chooseInRegion(seen, region, asked)
    if (choice) return choice
  }
  return undefined
}

const heightsOf = (part: BlockRange): number[] => Array.from({ length: part.to - part.from }, (_, i) => part.from + i)

describe("choosing a range", () => {
  test("a choice is inside its region, gated, and touches nothing done or held by others", () => {
    fc.assert(
      fc.property(view, request, (seen, asked) => {
        const choice = chooseRange(seen, asked)
        if (!choice) return
        const inRegion = asked.regions.some(
          (region) => region.from <= choice.range.from && choice.range.to <= region.to,
        )
        expect(inRegion).toBe(true)
        for (const height of heightsOf(choice.range)) {
          expect(containsHeight(seen.heights, height) || containsHeight(seen.skipped, height)).toBe(false)
          expect(seen.gates.every((gate) => containsHeight(gate, height))).toBe(true)
          const holder = seen.unfinished.find((lease) => containsHeight([lease.range], height))
          if (choice.kind === "new") expect(holder).toBeUndefined()
          else expect(holder?.id).toBe(choice.id)
        }
        if (choice.kind === "new") {
          const { from, to } = choice.range
          expect(Math.floor(from / asked.rangeSize)).toBe(Math.floor((to - 1) / asked.rangeSize))
          expect(to - from).toBeLessThanOrEqual(asked.maxBlocks)
        } else {
          const lease = seen.unfinished.find(({ id }) => id === choice.id)!
          expect(lease.due).toBe(true)
          expect(rangeSet([choice.range, ...choice.rest])).toEqual([lease.range])
        }
      }),
      { numRuns: 500 },
    )
  })

  test("whatever is free and gated is claimed sooner or later, so no gap is left behind", () => {
    fc.assert(
      fc.property(view, request, (seen, asked) => {
        const wanted = asked.regions.flatMap(heightsOf).filter((height) => {
          const lease = seen.unfinished.find((part) => containsHeight([part.range], height))
          return (
            !containsHeight(seen.heights, height) &&
            !containsHeight(seen.skipped, height) &&
            !lease &&
            seen.gates.every((gate) => containsHeight(gate, height))
          )
        })
        let now = { ...seen, unfinished: seen.unfinished.filter((lease) => !lease.due) }
        for (let i = 0; i < 200; i++) {
          const choice = chooseRange(now, asked)
          if (!choice) break
          now = { ...now, heights: rangeSet([...now.heights, choice.range]) }
        }
        for (const height of wanted) expect(containsHeight(now.heights, height)).toBe(true)
      }),
    )
  })

  test("in order, nothing is taken above a height of the region that is leased", () => {
    fc.assert(
      fc.property(view, request, (seen, asked) => {
        const region = asked.regions[0]!
        const choice = chooseInRegion(seen, region, { ...asked, order: "oldest", inOrder: true })
        if (!choice) return
        const below = { from: region.from, to: choice.range.from }
        // A hole in the dependencies of the chosen lease itself is passed.
        const others = seen.unfinished.filter(({ id }) => choice.kind === "new" || id !== choice.id)
        const leased = others.map((lease) => lease.range)
        for (const height of heightsOf(below)) expect(containsHeight(leased, height)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  describe("of a worker with many failed blocks", () => {
    const history = { from: 0, to: 100_000 }
    const asked = { rangeSize: 100, maxBlocks: 100, order: "oldest" } as const
    const failing = (count: number, kind: Partial<ClaimView["unfinished"][number]>): ClaimView => ({
      heights: [],
      skipped: [],
      gates: [],
      unfinished: Array.from({ length: count }, (_, i) => ({
        id: String(i),
        range: { from: i, to: i + 1 },
        ...{ due: false, stuck: true, dead: false, active: false, ...kind },
      })),
    })

    test("dead blocks stop only themselves", () => {
      const seen = failing(5_000, { dead: true })
      expect(chooseInRegion(seen, history, asked)?.range).toEqual({ from: 5_000, to: 5_100 })
      expect(chooseInRegion(seen, { from: 50_000, to: 50_064 }, asked)?.range).toEqual({ from: 50_000, to: 50_064 })
    })

    test("ranges that wait for another attempt stop new ones in their region, and never the tip", () => {
      const seen = failing(200, {})
      expect(chooseInRegion(seen, history, asked)).toBeUndefined()
      expect(chooseInRegion(seen, { from: 50_000, to: 50_064 }, asked)?.range).toEqual({ from: 50_000, to: 50_064 })
      const tip = { from: 200 - 64, to: 300 }
      expect(chooseInRegion(seen, tip, asked)?.range).toEqual({ from: 200, to: 300 })
    })

    test("more of them may wait where most blocks succeed", () => {
      const seen = { ...failing(300, {}), heights: [{ from: 1_000, to: 40_000 }] }
      expect(chooseInRegion(seen, history, asked)?.range).toEqual({ from: 300, to: 400 })
      expect(chooseInRegion({ ...seen, heights: [{ from: 1_000, to: 30_000 }] }, history, asked)).toBeUndefined()
    })

    test("there is a bound to the dead ones, too", () => {
      expect(chooseInRegion(failing(10_000, { dead: true }), history, asked)).toBeUndefined()
    })
  })
})
