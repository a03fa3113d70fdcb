import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ServedChain } from "./served-chain.js"
import { waitForHeight } from "./wait-for-height.js"

const workers = ["first", "second"]

/** A store whose workers cover what a test says. */
function store() {
  const clock = new VirtualClock()
  const covers: Record<string, number> = { first: 50, second: 50 }
  const tx = {
    query: async () => ({
      rows: [{ scope: ["0", "0", ...workers.map((name) => `${name} {[0,${covers[name]})} {}`)].join("|") }],
    }),
  } as unknown as Queryable
  const chain = { clock, readPrepared: async (_store: string, work: (tx: Queryable) => Promise<unknown>) => work(tx) }
  const { signal } = new AbortController()
  const waiting = waitForHeight(
    chain as unknown as ServedChain,
    { store: "app", workers },
    { minHeight: 50, minBlockHash: undefined, signal },
  )
  let isDone = false
  void waiting.then(
    () => {
      isDone = true
    },
    () => undefined,
  )
  /** Until it has looked again, and waits or is done. */
  const passes = async (ms: number): Promise<boolean> => {
    for (let i = 0; i < 20; i++) await Promise.resolve()
    clock.advance(ms)
    for (let i = 0; i < 20; i++) await Promise.resolve()
    return isDone
  }
  return { covers, waiting, passes }
}

test("whoever waits for a block is answered when every required worker covers it, and not before", async () => {
  const { covers, waiting, passes } = store()
  expect(await passes(100)).toBe(false)
  covers["first"] = 51
  expect(await passes(100)).toBe(false)
  covers["second"] = 51
  expect(await passes(100)).toBe(true)
  await waiting
})

test("a block that is not covered in 30 s is NOT_REACHED, with how far the workers are", async () => {
  const { covers, waiting, passes } = store()
  covers["first"] = 60
  expect(await passes(29_999)).toBe(false)
  void passes(100)
  await expect(waiting).rejects.toMatchObject({
    ...{ code: "NOT_REACHED", statusCode: 504, details: { data_watermark: "49", required_workers: workers } },
  })
})
