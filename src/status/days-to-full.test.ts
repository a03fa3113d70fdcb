import { describe, expect, test } from "vitest"
import { daysToFull } from "./days-to-full.js"

const day = 86_400_000
// A thousand blocks of 1 MB each beside what an empty database takes.
const store = { rawBytes: 1_009_500_000, appBytes: null, freeBytes: 864_000_000, secondsPerBlock: 100 }
const done = { store, blocks: 1_000, missing: 0, etaMs: 0 }

describe("the days until a store is full", () => {
  test("are counted at the chain's pace once history is filled", () => {
    expect(daysToFull(done)).toBeCloseTo(1)
    expect(daysToFull({ ...done, store: { ...store, secondsPerBlock: 200 } })).toBeCloseTo(2)
  })

  test("are counted at the rate of the fill where it does not end before", () => {
    expect(daysToFull({ ...done, missing: 1_728, etaMs: 4 * day })).toBeCloseTo(2)
  })

  test("are both where the fill leaves room", () => {
    expect(daysToFull({ ...done, missing: 432, etaMs: 3 * day })).toBeCloseTo(3.5)
  })

  test("count both databases", () => {
    expect(daysToFull({ ...done, store: { ...store, appBytes: 1_009_500_000 } })).toBeCloseTo(0.5)
  })

  test("are none where nothing is free", () => {
    expect(daysToFull({ ...done, store: { ...store, freeBytes: -5 } })).toBe(0)
  })

  test.each([
    ["the room", { ...done, store: { ...store, freeBytes: null } }],
    ["the size", { ...done, store: { ...store, rawBytes: null } }],
    ["the pace", { ...done, store: { ...store, secondsPerBlock: null } }],
    ["how long the fill takes", { ...done, missing: 10, etaMs: null }],
    ["how much a block takes", { ...done, blocks: 0 }],
  ])("are unknown without %s", (_, growth) => {
    expect(daysToFull(growth)).toBeNull()
  })
})
