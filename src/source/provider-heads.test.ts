import { beforeEach, expect, test } from "vitest"
import type { Clock } from "../platform/clock.js"
import { ProviderHeads } from "./provider-heads.js"

const paceMs = 2_000
let elapsedMs: number
let heads: ProviderHeads
const clock = { monotonic: () => elapsedMs, now: () => 1_000_000 + elapsedMs } as Clock

beforeEach(() => {
  elapsedMs = 0
  heads = new ProviderHeads({ clock }, { frozenAfterBlocks: 20 })
  heads.notePace(at(0), at(100))
})

/** A block of a chain whose block 0 is at the clock's start. */
const at = (height: number, anchorHash: string | null = "0xa") => ({
  height,
  timeMs: 1_000_000 + height * paceMs,
  anchorHash,
})
const compare = (answers: Record<string, ReturnType<typeof at>>, followed = "a") =>
  heads.compare(new Map(Object.entries(answers)), followed)
const left = () => [...heads.left()]

test("a node that stands still while another moves on is left, and is back once it has caught up", () => {
  compare({ a: at(10), b: at(10) })
  elapsedMs = 3_000
  compare({ a: at(10), b: at(12) })
  expect(left()).toEqual([])
  elapsedMs = 5_000
  compare({ a: at(10), b: at(13) })
  expect([left(), heads.of("a")]).toEqual([
    ["a"],
    { height: 10, ageMs: 0, stillMs: 5_000, fault: "frozen", left: true },
  ])
  // Syncing again, but not there yet.
  compare({ a: at(11), b: at(14) })
  expect(left()).toEqual(["a"])
  compare({ a: at(14), b: at(15) })
  expect([left(), heads.of("a")?.fault]).toEqual([[], null])
})

test("a chain that makes no blocks for a while freezes none of its nodes", () => {
  compare({ a: at(10), b: at(11) })
  elapsedMs = 30_000
  compare({ a: at(10), b: at(11) })
  expect(left()).toEqual([])
})

test("a node that moves is left only when it stays far behind", () => {
  compare({ a: at(10), b: at(100) })
  expect(left()).toEqual([])
  elapsedMs = 2_000
  compare({ a: at(11), b: at(101) })
  expect([left(), heads.of("a")?.fault]).toEqual([["a"], "behind"])
})

test("blocks that one of three nodes claims alone are not followed", () => {
  for (elapsedMs of [0, 2_000]) compare({ a: at(5_000 + elapsedMs), b: at(20 + elapsedMs), c: at(21 + elapsedMs) })
  expect([left(), heads.of("a")?.fault]).toEqual([["a"], "ahead"])
})

test("the one node that still moves is followed, however many have stopped", () => {
  compare({ a: at(10), b: at(10), c: at(10) })
  elapsedMs = 10_000
  compare({ a: at(10), b: at(10), c: at(15) })
  expect(left()).toEqual(["a", "b"])
})

test("of two nodes on different chains the followed one stays, of three the two that agree", () => {
  for (elapsedMs of [0, 2_000]) compare({ a: at(10 + elapsedMs), b: at(12 + elapsedMs, "0xb") })
  expect([left(), heads.of("b")?.fault]).toEqual([["b"], "fork"])
  for (elapsedMs of [4_000, 6_000]) {
    compare({ a: at(10 + elapsedMs), b: at(12 + elapsedMs, "0xb"), c: at(12 + elapsedMs, "0xb") })
  }
  expect(left()).toEqual(["a"])
})

test("a node without another to compare it with is frozen by the time of its block, and is not left", () => {
  compare({ a: at(10) })
  elapsedMs = 10 * paceMs + 60_000
  compare({ a: at(10) })
  expect(heads.of("a")?.fault).toBeNull()
  elapsedMs += 1
  compare({ a: at(10) })
  expect(heads.of("a")).toMatchObject({ fault: "frozen", left: false, ageMs: 60_001 })
  expect(left()).toEqual([])
})

test("a slow chain's last block may be an hour old", () => {
  const hour = 3_600_000
  heads.notePace({ height: 0, timeMs: 0 }, { height: 10, timeMs: 10 * hour })
  heads.report("a", { height: 10, timeMs: clock.now() })
  elapsedMs = 19 * hour
  heads.report("a", { height: 10, timeMs: 1_000_000 })
  expect(heads.of("a")?.fault).toBeNull()
})

test("what was reported long ago is not shown, and a chain on demand is never frozen by age", () => {
  heads = new ProviderHeads({ clock }, { frozenAfterBlocks: 0 })
  heads.notePace(at(0), at(10))
  heads.report("a", at(10))
  elapsedMs = 600_000
  expect(heads.of("a")).toBeNull()
  heads.report("a", at(10))
  expect(heads.of("a")?.fault).toBeNull()
})
