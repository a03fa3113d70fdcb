import { describe, expect, test } from "vitest"
import { seededRandom } from "../../test/support/seeded-random.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { IndexerError } from "./errors.js"
import { silentLogger } from "./logger.js"
import { LoopingService } from "./looping-service.js"
import type { Random } from "./random.js"

class Counting extends LoopingService {
  runs = 0
  fail = false
  error: Error = new IndexerError("RPC_UNREACHABLE", "unavailable")
  readonly levels: string[] = []
  nextMs: number | undefined
  onRun: () => void = () => undefined
  constructor(
    readonly virtual: VirtualClock,
    random?: Random,
    maxBackoffMs = 1_000,
  ) {
    super({
      ...(random ? { random } : {}),
      name: "counting",
      clock: virtual,
      logger: {
        ...silentLogger,
        child: () => ({
          ...silentLogger,
          warn: () => this.levels.push("warn"),
          error: (fields) => this.levels.push(`error ${fields["code"]}`),
        }),
      },
      intervalMs: 100,
      maxBackoffMs,
    })
  }
  async runOnce(): Promise<number | undefined> {
    this.runs++
    this.onRun()
    if (this.fail) throw this.error
    return this.nextMs
  }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let i = 0; i < ms; i += 50) {
    clock.advance(50)
    await settle()
  }
}

describe("a looping service", () => {
  test("runs at its interval until stopped", async () => {
    const service = new Counting(new VirtualClock())
    service.start()
    await settle()
    expect(service.runs).toBe(1)
    await pass(service.virtual, 500)
    expect(service.runs).toBe(6)
    await service.stop()
    await pass(service.virtual, 500)
    expect(service.runs).toBe(6)
  })

  test("a bug is logged as an error, an outage as a warning", async () => {
    for (const [error, logged] of [
      [new IndexerError("RPC_UNREACHABLE", "unavailable"), "warn"],
      [new TypeError("undefined is not a function"), "error BUG"],
    ] as const) {
      const service = new Counting(new VirtualClock())
      service.fail = true
      service.error = error
      service.start()
      await settle()
      expect(service.levels).toEqual([logged])
      await service.stop()
    }
  })

  test("a bug is logged as an error every time, and retried after a minute, whatever wakes the service", async () => {
    const service = new Counting(new VirtualClock())
    service.fail = true
    service.error = new TypeError("undefined is not a function")
    service.start()
    await settle()
    await pass(service.virtual, 59_000)
    service.wake()
    await settle()
    expect(service.runs).toBe(1)
    await pass(service.virtual, 121_000)
    expect([service.runs, service.levels]).toEqual([4, Array(4).fill("error BUG")])
    await service.stop()
  })

  test("notices within 2 s that a database is back, however long it waits after other faults", async () => {
    for (const [code, runs] of [
      ["DATABASE_UNREACHABLE", 30],
      ["RPC_UNREACHABLE", 6],
    ] as const) {
      const service = new Counting(new VirtualClock(), undefined, 60_000)
      service.fail = true
      service.error = new IndexerError(code, "unavailable")
      service.start()
      await settle()
      await pass(service.virtual, 10_000)
      const before = service.runs
      await pass(service.virtual, 60_000)
      const more = service.runs - before
      if (runs === 30) expect(more).toBe(runs)
      else expect(more).toBeLessThan(runs)
      await service.stop()
    }
  })

  test("can be stopped twice, and before its start", async () => {
    const service = new Counting(new VirtualClock())
    await service.stop()
    await service.stop()
    service.start()
    await settle()
    expect(service.runs).toBe(0)
  })

  test("waits longer after each fault, never ends, and a success resets the wait", async () => {
    const service = new Counting(new VirtualClock())
    service.fail = true
    service.start()
    await pass(service.virtual, 10_000)
    expect(service.runs).toBeGreaterThan(8)
    expect(service.runs).toBeLessThan(20)
    service.fail = false
    await pass(service.virtual, 1_000)
    const before = service.runs
    await pass(service.virtual, 500)
    expect(service.runs - before).toBe(5)
    await service.stop()
  })

  test("work resumes within the longest wait after ten minutes of outage", async () => {
    const service = new Counting(new VirtualClock())
    service.fail = true
    service.start()
    await pass(service.virtual, 600_000)
    service.fail = false
    const before = service.runs
    await pass(service.virtual, 1_000)
    expect(service.runs).toBeGreaterThan(before)
    await service.stop()
  })

  test("two services that fail at the same time do not retry at the same time", async () => {
    const clock = new VirtualClock()
    const waits = [1, 2].map((seed) => {
      const asked: number[] = []
      const watched = Object.assign(Object.create(clock) as VirtualClock, {
        sleep: (ms: number, signal?: AbortSignal) => {
          asked.push(ms)
          return clock.sleep(ms, signal)
        },
      })
      const service = new Counting(watched, seededRandom(seed))
      service.fail = true
      service.start()
      return { asked, service }
    })
    await settle()
    const [first, second] = waits.map(({ asked }) => asked[0]!)
    expect(first).not.toBe(second)
    for (const wait of [first!, second!]) expect(wait).toBeGreaterThanOrEqual(50)
    await Promise.all(waits.map(({ service }) => service.stop()))
  })

  test("wake ends the current wait", async () => {
    const service = new Counting(new VirtualClock())
    service.nextMs = 60_000
    service.start()
    await settle()
    service.wake()
    await settle()
    expect(service.runs).toBe(2)
    await service.stop()
  })

  test("wake during a run ends the wait after it", async () => {
    const service = new Counting(new VirtualClock())
    service.nextMs = 60_000
    service.onRun = () => {
      if (service.runs === 1) service.wake()
    }
    service.start()
    await settle()
    expect(service.runs).toBe(2)
    await service.stop()
  })
})
