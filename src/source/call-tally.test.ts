import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { CallTally } from "./call-tally.js"

const counts = (method: string, calls: number, code = "ok", provider = "a") => ({
  ...{ provider, method, code, calls, bytes: 10 * calls, ms: 2.4 },
})

test("calls are summed by provider and method, with those that failed", () => {
  const tally = new CallTally({ clock: new VirtualClock() })
  tally.add([counts("eth_call", 3), counts("eth_call", 2, "RPC_TIMEOUT"), counts("eth_call", 1, "ok", "b")])
  tally.add([counts("eth_call", 4)])
  expect(tally.calls()).toEqual([
    { provider: "a", method: "eth_call", calls: 9, errors: 2, bytes: 90, ms: 7, perMinute: 0 },
    { provider: "b", method: "eth_call", calls: 1, errors: 0, bytes: 10, ms: 2, perMinute: 0 },
  ])
})

test("the count of a minute is that of the last whole one", () => {
  const clock = new VirtualClock()
  const tally = new CallTally({ clock })
  const perMinute = () => tally.calls()[0]!.perMinute
  clock.advance(60_000 - (clock.monotonic() % 60_000))
  tally.add([counts("eth_call", 3)])
  clock.advance(60_000)
  expect(perMinute()).toBe(3)
  tally.add([counts("eth_call", 5)])
  expect(perMinute()).toBe(3)
  clock.advance(60_000)
  expect(perMinute()).toBe(5)
  clock.advance(120_000)
  expect(perMinute()).toBe(0)
})

test("however many methods there are, what is reported is bounded", () => {
  const tally = new CallTally({ clock: new VirtualClock() })
  for (let at = 0; at < 1_000; at++) tally.add([counts(`method_${at}`, 1)])
  expect(tally.calls().length).toBeLessThan(70)
  expect(tally.calls().reduce((sum, { calls }) => sum + calls, 0)).toBe(1_000)
})
