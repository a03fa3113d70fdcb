import { describe, expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { TipGate } from "./tip-gate.js"

async function passed(gate: TipGate, clock: VirtualClock, lockedMs?: number): Promise<number> {
  const began = clock.monotonic()
  let done = false
  const passing = lockedMs === undefined ? gate.pass() : gate.passBefore(lockedMs)
  void passing.then(() => {
    done = true
  })
  for (let ms = 0; ms < 5_000; ms++) {
    for (let i = 0; i < 5; i++) await Promise.resolve()
    if (done) break
    clock.advance(1)
  }
  return clock.monotonic() - began
}

describe("TipGate", () => {
  test("history passes at once while there is no new block", async () => {
    const clock = new VirtualClock()
    expect(await passed(new TipGate({ clock }), clock)).toBe(0)
  })

  test("history waits for a new block in another thread until it is derived", async () => {
    const clock = new VirtualClock()
    const history = new TipGate({ clock })
    const tip = new TipGate({ clock, memory: history.memory })
    tip.begin("tip")
    void clock.sleep(100).then(() => tip.end("tip"))
    const waited = await passed(history, clock)
    expect(waited).toBeGreaterThanOrEqual(100)
    expect(waited).toBeLessThan(120)
  })

  test("storing and deriving are independent: the end of one does not end the other", async () => {
    const clock = new VirtualClock()
    const gate = new TipGate({ clock })
    gate.begin("head")
    gate.begin("tip")
    gate.end("head")
    expect(gate.busy).toBe(true)
    gate.end("tip")
    expect(gate.busy).toBe(false)
  })

  test("history gets half of the time when the tip is always busy", async () => {
    const clock = new VirtualClock()
    const history = new TipGate({ clock })
    const tip = new TipGate({ clock, memory: history.memory })
    let waited = 0
    let worked = 0
    // Steps of 10 ms, for ten seconds.
    while (waited + worked < 10_000) {
      tip.begin("tip")
      waited += await passed(history, clock)
      clock.advance(10)
      worked += 10
    }
    expect(worked / (waited + worked)).toBeGreaterThan(0.45)
  })

  test("the tip is live for a minute after a new block", () => {
    const clock = new VirtualClock()
    const gate = new TipGate({ clock })
    expect(gate.live).toBe(false)
    gate.moved()
    expect([gate.live, gate.busy]).toEqual([true, false])
    clock.advance(60_001)
    expect(gate.live).toBe(false)
  })

  describe("before rows are locked", () => {
    /** A block every 500 ms, the last one just now. */
    const everyHalfSecond = (clock: VirtualClock): TipGate => {
      const gate = new TipGate({ clock })
      clock.advance(1)
      for (let block = 0; block < 20; block++) {
        clock.advance(500)
        gate.moved()
      }
      return gate
    }

    test("history continues if it finishes before the next block", async () => {
      const clock = new VirtualClock()
      const gate = everyHalfSecond(clock)
      clock.advance(300)
      expect(await passed(gate, clock, 150)).toBe(0)
    })

    test("history waits for the next block if it would not finish before it", async () => {
      const clock = new VirtualClock()
      const gate = everyHalfSecond(clock)
      clock.advance(450)
      void clock.sleep(50).then(() => gate.begin("tip"))
      void clock.sleep(150).then(() => {
        gate.moved()
        gate.end("tip")
      })
      const waited = await passed(gate, clock, 150)
      expect(waited).toBeGreaterThanOrEqual(150)
      expect(waited).toBeLessThan(170)
    })

    test("history does not wait longer for a block that is late", async () => {
      const clock = new VirtualClock()
      const gate = everyHalfSecond(clock)
      clock.advance(450)
      expect(await passed(gate, clock, 150)).toBeLessThan(100)
    })

    test("work that takes longer than the block interval waits only for a block that is already there", async () => {
      const clock = new VirtualClock()
      const gate = everyHalfSecond(clock)
      clock.advance(450)
      expect(await passed(gate, clock, 600)).toBe(0)
      gate.begin("tip")
      void clock.sleep(80).then(() => gate.end("tip"))
      expect(await passed(gate, clock, 600)).toBeGreaterThanOrEqual(80)
    })
  })

  test("a thread that died during a block delays history for at most a second", async () => {
    const clock = new VirtualClock()
    const gate = new TipGate({ clock })
    gate.begin("tip")
    clock.advance(1_001)
    expect(gate.busy).toBe(false)
  })
})
