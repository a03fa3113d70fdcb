import { setMaxListeners } from "node:events"
import { Worker } from "node:worker_threads"
import { describe, expect, test } from "vitest"
import { systemClock } from "../../platform/clock.js"
import { systemRandom } from "../../platform/random.js"
import { createSharedLimit, type Permit, SharedLimit } from "./shared-limit.js"

const deps = { clock: systemClock, random: systemRandom }
const never = new AbortController().signal
setMaxListeners(0, never)

test("no more than maxInFlight permits are out at once, over all attached limits", async () => {
  const handle = createSharedLimit({ maxInFlight: 3 })
  const limits = [new SharedLimit(deps, handle), new SharedLimit(deps, structuredClone(handle))]
  let out = 0
  let most = 0
  const use = async (limit: SharedLimit) => {
    const permit = (await limit.acquire({ cost: 1, leaseMs: 10_000, signal: never })) as Permit
    most = Math.max(most, ++out)
    await systemClock.sleep(2)
    out--
    limit.release(permit)
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => use(limits[i % 2]!)))
  expect(most).toBe(3)
})

test("the rate holds over all attached limits, and a batch counts each of its calls", async () => {
  const handle = createSharedLimit({ maxRps: 500 })
  const limits = [new SharedLimit(deps, handle), new SharedLimit(deps, structuredClone(handle))]
  const start = performance.now()
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => limits[i % 2]!.acquire({ cost: 5, leaseMs: 1000, signal: never })),
  )
  const seconds = (performance.now() - start) / 1000
  // 200 calls at 500 a second, of which a tenth of a second may come at once.
  expect(seconds).toBeGreaterThan(0.28)
  expect(seconds).toBeLessThan(4)
})

test("a place whose holder is gone becomes free when its lease ends", async () => {
  const handle = createSharedLimit({ maxInFlight: 1 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire({ cost: 1, leaseMs: 50, signal: never })
  const start = performance.now()
  const again = (await limit.acquire({ cost: 1, leaseMs: 5000, signal: never })) as Permit
  expect(performance.now() - start).toBeGreaterThan(30)
  limit.release(again)
  expect(limit.acquire({ cost: 1, leaseMs: 5000, signal: never })).not.toBeInstanceOf(Promise)
})

test("waiting ends at once when the signal aborts, and the next waiter is served", async () => {
  const limit = new SharedLimit(deps, createSharedLimit({ maxInFlight: 1 }))
  const held = (await limit.acquire({ cost: 1, leaseMs: 60_000, signal: never })) as Permit
  const abort = new AbortController()
  const first = limit.acquire({ cost: 1, leaseMs: 1000, signal: abort.signal })
  const second = limit.acquire({ cost: 1, leaseMs: 1000, signal: never })
  abort.abort()
  expect(await first).toBeUndefined()
  limit.release(held)
  expect(await second).toBeDefined()
})

test("a handle passed to a worker thread is the same limit there", async () => {
  const handle = createSharedLimit({ maxInFlight: 2 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire({ cost: 1, leaseMs: 60_000, signal: never })
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads")
     const slots = new Int32Array(workerData.memory, 8, workerData.maxInFlight)
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
        const permit = (await limit.acquire({ cost: 1, leaseMs: 60_000, signal: never, urgent })) as Permit
        order.push(name)
        await systemClock.sleep(30)
        limit.release(permit)
      }
      running.push(use())
    }
    for (let i = 0; i < 8; i++) ask(history, "history", false)
    return { handle, history, order, ask, done: () => Promise.all(running) }
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
      await limit.acquire({ cost, leaseMs: 1_000, signal: never, urgent })
      order.push(name)
    }
    const history = Array.from({ length: 5 }, () => ask("history", 20, false))
    await Promise.all([...history, ask("head", 2, true)])
    expect(order.indexOf("head")).toBe(1)
  })

  test("that gives up holds nobody back", async () => {
    const { handle, history } = saturated()
    const abort = new AbortController()
    const other = new SharedLimit(deps, structuredClone(handle))
    const head = other.acquire({ cost: 1, leaseMs: 60_000, signal: abort.signal, urgent: true })
    abort.abort()
    expect(await head).toBeUndefined()
    const notice = new Int32Array(handle.memory!, 8 + 4, 1)
    expect(notice[0]).toBe(0)
    expect(await history.acquire({ cost: 1, leaseMs: 10, signal: never })).toBeDefined()
  })
})
