import { setMaxListeners } from "node:events"
import { Worker } from "node:worker_threads"
import { expect, test } from "vitest"
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
    const permit = (await limit.acquire(1, 10_000, never)) as Permit
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
  await Promise.all(Array.from({ length: 40 }, (_, i) => limits[i % 2]!.acquire(5, 1000, never)))
  const seconds = (performance.now() - start) / 1000
  // 200 calls at 500 a second, of which a tenth of a second may come at once.
  expect(seconds).toBeGreaterThan(0.28)
  expect(seconds).toBeLessThan(1)
})

test("a place whose holder is gone becomes free when its lease ends", async () => {
  const handle = createSharedLimit({ maxInFlight: 1 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire(1, 50, never)
  const start = performance.now()
  const again = (await limit.acquire(1, 5000, never)) as Permit
  expect(performance.now() - start).toBeGreaterThan(30)
  limit.release(again)
  expect(limit.acquire(1, 5000, never)).not.toBeInstanceOf(Promise)
})

test("waiting ends at once when the signal aborts, and the next waiter is served", async () => {
  const limit = new SharedLimit(deps, createSharedLimit({ maxInFlight: 1 }))
  const held = (await limit.acquire(1, 60_000, never)) as Permit
  const abort = new AbortController()
  const first = limit.acquire(1, 1000, abort.signal)
  const second = limit.acquire(1, 1000, never)
  abort.abort()
  expect(await first).toBeUndefined()
  limit.release(held)
  expect(await second).toBeDefined()
})

test("a handle passed to a worker thread is the same limit there", async () => {
  const handle = createSharedLimit({ maxInFlight: 2 })
  const limit = new SharedLimit(deps, handle)
  await limit.acquire(1, 60_000, never)
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
