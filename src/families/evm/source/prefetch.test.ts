import { expect, test } from "vitest"
import type { BlockRange } from "../../../domain/block-range.js"
import { BatchSize } from "../../../source/batch-size.js"
import { ByteBudget } from "../../../source/byte-budget.js"
import { RequestsAhead } from "../../../source/requests-ahead.js"
import type { FetchedBatch } from "./fetch-blocks.js"
import { Prefetch } from "./prefetch.js"

const batch = (range: BlockRange): FetchedBatch =>
  ({ range, bytes: 2_000_000, release: () => undefined }) as unknown as FetchedBatch

/** A range of many batches; answers come when they are let go. */
function prefetching(ahead: RequestsAhead) {
  const size = new BatchSize({ maxBatchBlocks: 10 })
  size.succeeded(10, 2_000_000)
  const open: (() => void)[] = []
  const prefetch = new Prefetch({
    range: { from: 0, to: 10_000 },
    maxRequests: 4,
    ahead,
    budget: new ByteBudget(1 << 30),
    size,
    fetch: (range) => new Promise((resolve) => open.push(() => resolve([batch(range)]))),
  })
  const answerAll = async (): Promise<void> => {
    while (open.length > 0) {
      for (const answer of open.splice(0)) answer()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { prefetch, open, answerAll }
}

test("a node that is quicker than the consumer is asked for one batch ahead", async () => {
  const ahead = new RequestsAhead({ first: 8, most: 8 })
  const { prefetch, open, answerAll } = prefetching(ahead)
  for (let i = 0; i < 30; i++) {
    await answerAll()
    await prefetch.take()
  }
  expect(ahead.count).toBe(1)
  expect(open).toHaveLength(1)
})

test("a consumer that waits is given as many requests as are allowed", async () => {
  const ahead = new RequestsAhead({ first: 1, most: 8 })
  const { prefetch, open } = prefetching(ahead)
  for (let i = 0; i < 30; i++) {
    const taken = prefetch.take()
    open.shift()!()
    await taken
  }
  expect(ahead.count).toBe(8)
  void prefetch.take()
  expect(open).toHaveLength(4)
})
