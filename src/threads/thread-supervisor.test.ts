import { EventEmitter } from "node:events"
import type { Worker } from "node:worker_threads"
import { describe, expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import type { Lease } from "../coordination/lease-store.js"
import { silentLogger } from "../platform/logger.js"
import { ThreadSupervisor } from "./thread-supervisor.js"

class FakeThread extends EventEmitter {
  readonly posted: unknown[] = []
  postMessage(message: unknown): void {
    this.posted.push(message)
  }
  end(error?: Error): void {
    if (error) this.emit("error", error)
    this.emit("exit")
  }
  async terminate(): Promise<void> {
    this.end()
  }
}

const lease = { id: "1", epoch: "a", range: { from: 0, to: 1 }, ttlMs: 10_000 } as unknown as Lease
const settle = () => new Promise((resolve) => setImmediate(resolve))

function stage({ isKnown = false } = {}) {
  const clock = new VirtualClock()
  const threads: FakeThread[] = []
  const ends: { leases: readonly Lease[]; failure: unknown }[] = []
  const received: unknown[] = []
  const logged: Record<string, unknown>[] = []
  const supervisor = new ThreadSupervisor<string, { type: "wake" }, { type: "report" }>({
    name: "test",
    inputs: ["only"],
    launch: () => {
      const thread = new FakeThread()
      threads.push(thread)
      return {
        worker: thread as unknown as Worker,
        receive: (message) => received.push(message),
        ended: async (end) => {
          ends.push(end)
          return isKnown
        },
      }
    },
    clock,
    logger: { ...silentLogger, error: (fields) => logged.push({ ...fields }) },
    drainMs: 1_000,
    restartBaseMs: 100,
    renew: async (tokens) => tokens,
    shortestTtlMs: 10_000,
  })
  supervisor.start()
  const pass = async (ms: number): Promise<void> => {
    await settle()
    clock.advance(ms)
    await settle()
  }
  return { supervisor, threads, ends, received, logged, pass }
}

describe("a thread", () => {
  test("that dies is started again, each time after a longer wait", async () => {
    const { threads, pass } = stage()
    threads[0]!.end(new Error("out of memory"))
    await pass(99)
    expect(threads.length).toBe(1)
    await pass(1)
    expect(threads.length).toBe(2)
    threads[1]!.end()
    await pass(199)
    expect(threads.length).toBe(2)
    await pass(1)
    expect(threads.length).toBe(3)
  })

  test("that was ended for a block that waits by itself is started again at once, each time", async () => {
    const { threads, logged, pass } = stage({ isKnown: true })
    for (let ends = 1; ends < 4; ends++) {
      threads[ends - 1]!.end(new Error("out of memory"))
      await pass(100)
      expect(threads.length).toBe(ends + 1)
    }
    expect(logged.map(({ code }) => code)).toEqual([undefined, undefined, undefined])
  })

  test("that dies of an error that no block explains is logged as a BUG, with its stack", async () => {
    const { threads, logged, pass } = stage()
    const failure = new TypeError("x is not a function")
    threads[0]!.end(failure)
    await pass(100)
    expect(logged).toMatchObject([{ thread: "test 0", code: "BUG", error: failure.message, stack: failure.stack }])
  })

  test("that starts while claims are paused is paused too", async () => {
    const { supervisor, threads, pass } = stage()
    supervisor.pause("disk")
    threads[0]!.end()
    await pass(100)
    const pause = { type: "pause", reason: "disk" }
    expect(threads.map(({ posted }) => posted)).toEqual([[pause], [pause]])
  })

  test("that ends hands over what ended it and the leases it held", async () => {
    const { threads, ends, received, pass } = stage()
    const failure = new Error("gone")
    threads[0]!.emit("message", { type: "held", leases: [lease], sentAt: 0 })
    threads[0]!.emit("message", { type: "report" })
    threads[0]!.end(failure)
    await pass(0)
    expect(ends).toEqual([{ leases: [lease], failure }])
    expect(received).toEqual([{ type: "report" }])
  })

  test("receives a stop, and is terminated when it does not stop", async () => {
    const { supervisor, threads, pass } = stage()
    const stopped = supervisor.stop()
    expect(threads[0]!.posted).toEqual([{ type: "stop" }])
    await pass(5_999)
    expect(await Promise.race([stopped.then(() => "stopped"), settle().then(() => "waiting")])).toBe("waiting")
    await pass(1)
    await stopped
    expect(threads.length).toBe(1)
  })
})
