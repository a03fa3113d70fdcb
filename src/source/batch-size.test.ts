import { expect, test } from "vitest"
import { BatchSize } from "./batch-size.js"

test("the first answer says how large the next batch may be, up to twice its size", () => {
  const size = new BatchSize({ maxBatchBlocks: 100 })
  expect([size.blocks, size.guessing]).toEqual([10, true])
  size.succeeded(10, 10_000)
  expect([size.blocks, size.guessing]).toEqual([20, false])
  expect(size.estimateBytes(20)).toBe(20_000)
})

test("small blocks soon come in batches as large as is allowed, and no larger", () => {
  const size = new BatchSize({ maxBatchBlocks: 50 })
  for (let i = 0; i < 3; i++) size.succeeded(size.blocks, size.blocks * 1_000)
  expect(size.blocks).toBe(50)
})

test("a batch grows to what makes two megabytes, and is halved above four", () => {
  const size = new BatchSize({ maxBatchBlocks: 100 })
  size.succeeded(10, 10 * 125_000)
  expect(size.blocks).toBe(16)
  size.succeeded(16, 5_000_000)
  expect(size.blocks).toBe(8)
})

test("a batch that went wrong is asked for in halves from then on", () => {
  const size = new BatchSize({ maxBatchBlocks: 100 })
  size.failed(10)
  expect([size.blocks, size.guessing]).toEqual([5, false])
})
