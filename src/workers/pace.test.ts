import { expect, test } from "vitest"
import { Pace } from "./pace.js"

const makePace = () => new Pace({ maxBlocks: 1_000, foldMs: 1_000, foldMsBesideTip: 200, totalMs: 4_000 })
const quick = { foldMs: 10, totalMs: 50, besideTip: false }

test("a range grows fourfold at most", () => {
  const pace = makePace()
  const before = pace.blocks
  pace.learn({ blocks: before, ...quick })
  expect(pace.blocks).toBe(before * 4)
})

test("a range is never longer than the largest", () => {
  const pace = makePace()
  for (let i = 0; i < 20; i++) pace.learn({ blocks: pace.blocks, ...quick })
  expect(pace.blocks).toBe(1_000)
})

test("rows are locked five times shorter beside a tip", () => {
  const lesson = { blocks: 400, foldMs: 2_000, totalMs: 2_500 }
  const [alone, beside] = [makePace(), makePace()]
  for (const pace of [alone, beside]) pace.blocks = 400
  alone.learn({ ...lesson, besideTip: false })
  beside.learn({ ...lesson, besideTip: true })
  expect([alone.blocks, beside.blocks]).toEqual([200, 40])
})

test("slow folds shrink a range to 16 blocks and no further", () => {
  const pace = makePace()
  pace.learn({ blocks: 32, foldMs: 3_900, totalMs: 3_950, besideTip: true })
  expect(pace.blocks).toBe(16)
})

test("a range that takes long as a whole shrinks down to one block", () => {
  const pace = makePace()
  pace.learn({ blocks: 32, foldMs: 500_000, totalMs: 600_000, besideTip: false })
  expect(pace.blocks).toBe(1)
})
