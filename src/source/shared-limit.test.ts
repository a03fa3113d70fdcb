import { setMaxListeners } from "node:events"
import { Worker } from "node:worker_threads"
import { describe, expect, test } from "vitest"
import { seededRandom } from "../../test/support/seeded-random.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { createSharedLimit, type Permit, SharedLimit } from "./shared-limit.js"

const clock = new VirtualClock()
const deps = { clock, random: seededRandom(1) }
const never = new AbortController().signal
setMaxListeners(0, never)

/** Lets time pass, a millisecond at a time, until the work is done. Says how much did. */
async function pass(work: Promise<unknown>): Promise<number> {
  const began = clock.now()
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  for (let ms = 0; ms < 5_000; ms++) {
    // Everything that the last millisecond woke has had its turn after this.
    await new Promise((resolve) => setImmediate(resolve))
    if (isDone) return clock.now() - began
    clock.advance(1)
  }
  throw new Error("not done after 5 s")
}

test("no more than maxInFlight permits are out at once, over all attached limits", async () => {
  const handle = createSharedLimit({ maxInFlight: 3 })
  const limits = [new SharedLimit(deps, handle), new SharedLimit(deps, structuredClone(handle))]
  let out = 0
  let most = 0
  const use = async (limit: SharedLimit) => {
    const permit = (await limit.acquire({ cost: () => 1, leaseMs: 10_000, signal: never })) as Permit
    most = Math.max(most, ++out)
    await clock.sleep(2)
    out--
    limit.release(permit)
  }
  await pass(Promise.all(Array.from({ length: 40 }, (_, i) => use(limits[i % 2]!))))
  expect(most).toBe(3)
})

test("the rate holds over all attached limits, and a batch counts each of its calls", async () => {
  const handle = createSharedLimit({ maxRps: 500 })
  const limits = [new SharedLimit(deps, handle), new SharedLimit(deps, structuredClone(handle))]
  const ms = await pass(
    Promise.all(
      Array.from({ length: 40 }, (_, i) => limits[i % 2]!.acquire({ cost: () => 5, leaseMs: 1000, signal: never })),
    ),
  )
  // 200 calls at somewhat less than 500 a second, so that no second has more, whatever the sizes of requests.
  expect(ms).toBeGreaterThan(380)
  expect(ms).toBeLessThan(470)
})

test("a place whose holder is gone becomes free when its lease ends", async () => {
  const handle = createSharedLimit({ maxInFlight: 1 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire({ cost: () => 1, leaseMs: 50, signal: never })
  const again = Promise.resolve(limit.acquire({ cost: () => 1, leaseMs: 5000, signal: never }))
  const ms = await pass(again)
  expect(ms).toBeGreaterThanOrEqual(50)
  expect(ms).toBeLessThan(100)
  limit.release((await again)!)
  expect(limit.acquire({ cost: () => 1, leaseMs: 5000, signal: never })).not.toBeInstanceOf(Promise)
})

test("waiting ends at once when the signal aborts, and the next waiter is served", async () => {
  const limit = new SharedLimit(deps, createSharedLimit({ maxInFlight: 1 }))
  const held = (await limit.acquire({ cost: () => 1, leaseMs: 60_000, signal: never })) as Permit
  const abort = new AbortController()
  const first = limit.acquire({ cost: () => 1, leaseMs: 1000, signal: abort.signal })
  const second = limit.acquire({ cost: () => 1, leaseMs: 1000, signal: never })
  abort.abort()
  expect(await first).toBeUndefined()
  limit.release(held)
  // No time has to pass for either.
  expect(await second).toBeDefined()
})

test("a handle passed to a worker thread is the same limit there", async () => {
  const handle = createSharedLimit({ maxInFlight: 2 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire({ cost: () => 1, leaseMs: 60_000, signal: never })
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads")
     const slots = new Int32Array(workerData.memory, 68, workerData.maxInFlight)
     parentPort.postMessage([...slots].filter((slot) => slot !== 0).length)`,
    { eval: true, workerData: handle },
  )
  const taken = await new Promise((resolve) => worker.once("message", resolve))
  await worker.terminate()
  expect(taken).toBe(1)
})

describe("an urgent request", () => {
  const saturated = () => {
    const handle = createSharedLimit({ maxInFlight: 1 })
    const history = new SharedLimit(deps, handle)
    const order: string[] = []
    const running: Promise<void>[] = []
    const ask = (limit: SharedLimit, name: string, urgent: boolean) => {
      const use = async () => {
        const permit = (await limit.acquire({ cost: () => 1, leaseMs: 60_000, signal: never, urgent })) as Permit
        order.push(name)
        await clock.sleep(30)
        limit.release(permit)
      }
      running.push(use())
    }
    for (let i = 0; i < 8; i++) ask(history, "history", false)
    return { handle, history, order, ask, done: () => pass(Promise.all(running)) }
  }

  test("goes next when history has taken all places and waits for more", async () => {
    const { history, order, ask, done } = saturated()
    ask(history, "head", true)
    await done()
    expect(order.indexOf("head")).toBe(1)
  })

  test("of one thread goes before the history of another", async () => {
    const { handle, order, ask, done } = saturated()
    ask(new SharedLimit(deps, structuredClone(handle)), "head", true)
    await done()
    // Two: it may come when the place has just been given away.
    expect(order.indexOf("head")).toBeLessThanOrEqual(2)
  })

  test("takes every second place at most, so that history goes on", async () => {
    const { history, order, ask, done } = saturated()
    for (let i = 0; i < 8; i++) ask(history, "head", true)
    await done()
    expect(order.slice(0, 7)).toEqual(["history", "head", "history", "head", "history", "head", "history"])
  })

  test("waits for the rate as all do, but not behind the requests that wait for it", async () => {
    const limit = new SharedLimit(deps, createSharedLimit({ maxRps: 100 }))
    const order: string[] = []
    const ask = async (name: string, cost: number, urgent: boolean) => {
      await limit.acquire({ cost: () => cost, leaseMs: 1_000, signal: never, urgent })
      order.push(name)
    }
    const history = Array.from({ length: 5 }, () => ask("history", 20, false))
    await pass(Promise.all([...history, ask("head", 2, true)]))
    expect(order.indexOf("head")).toBe(1)
  })

  test("that gives up holds nobody back", async () => {
    const { handle, history } = saturated()
    const abort = new AbortController()
    const other = new SharedLimit(deps, structuredClone(handle))
    const head = other.acquire({ cost: () => 1, leaseMs: 60_000, signal: abort.signal, urgent: true })
    abort.abort()
    expect(await head).toBeUndefined()
    const notice = new Int32Array(handle.memory, 64, 1)
    expect(notice[0]).toBe(0)
    const next = Promise.resolve(history.acquire({ cost: () => 1, leaseMs: 10, signal: never }))
    await pass(next)
    expect(await next).toBeDefined()
  })
})
