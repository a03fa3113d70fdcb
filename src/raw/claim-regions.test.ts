import { describe, expect, test } from "vitest"
import { historyRegions, liveRegion } from "./claim-regions.js"

const state = { startHeight: 0, liveFrom: 900, headHeight: 1_100, finalizedHeight: 1_000 }
const open = { endBlock: undefined }

describe("where history and head lie", () => {
  test("below finality is history, from finality up is the head's", () => {
    expect(historyRegions(state, open).at(-1)).toEqual({ from: 0, to: 900 })
    expect(liveRegion(state, open)).toEqual({ from: 1_000, to: 1_101 })
  })

  test("a hole under the live stretch comes before older history", () => {
    expect(historyRegions(state, open)).toEqual([
      { from: 900, to: 1_000 },
      { from: 0, to: 900 },
    ])
  })

  test("history and head meet without a gap or an overlap, at every finality", () => {
    for (let finalizedHeight = 0; finalizedHeight <= 1_100; finalizedHeight += 100) {
      const now = { ...state, liveFrom: Math.min(900, finalizedHeight), finalizedHeight }
      const heights = [...historyRegions(now, open), liveRegion(now, open)!].sort((a, b) => a.from - b.from)
      expect(heights[0]!.from).toBe(0)
      expect(heights.at(-1)!.to).toBe(1_101)
      for (let i = 1; i < heights.length; i++) expect(heights[i]!.from).toBe(heights[i - 1]!.to)
    }
  })

  test("an end block is the last one claimed, and nothing above it", () => {
    expect(historyRegions(state, { endBlock: 949 })).toEqual([
      { from: 900, to: 950 },
      { from: 0, to: 900 },
    ])
    expect(historyRegions(state, { endBlock: 99 })).toEqual([{ from: 0, to: 100 }])
    expect(liveRegion(state, { endBlock: 949 })).toBeUndefined()
    expect(liveRegion(state, { endBlock: 1_004 })).toEqual({ from: 1_000, to: 1_005 })
  })

  test("before anybody followed the head nothing is claimed", () => {
    const unknown = { ...state, liveFrom: null, headHeight: null, finalizedHeight: null }
    expect(historyRegions(unknown, open)).toEqual([])
    expect(liveRegion(unknown, open)).toBeUndefined()
  })

  test("a start above finality leaves all to the head follower", () => {
    const late = { ...state, startHeight: 1_050, liveFrom: 1_050 }
    expect(historyRegions(late, open)).toEqual([])
    expect(liveRegion(late, open)).toEqual({ from: 1_050, to: 1_101 })
  })
})
