import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { BatchLimit } from "./batch-limit.js"

const make = () => {
  const clock = new VirtualClock()
  return { clock, limit: new BatchLimit({ clock }) }
}

/** Sends as many calls as are allowed, up to the number wanted, to a node that takes so many. */
function send(limit: BatchLimit, wanted: number, takes: number): number {
  const calls = Math.min(wanted, limit.calls)
  if (calls > takes) limit.refused(calls)
  else limit.accepted(calls)
  return calls
}

test.each([1, 2, 3, 7, 10, 50, 99])("a node that takes %i calls gets just these, after a few refusals", (takes) => {
  const { limit } = make()
  const sizes = Array.from({ length: 40 }, () => send(limit, 200, takes))
  expect(sizes.slice(20).every((calls) => calls === takes)).toBe(true)
  expect(sizes.filter((calls) => calls > takes).length).toBeLessThanOrEqual(9)
})

test("nothing is limited before a refusal, however small the requests", () => {
  const { limit } = make()
  send(limit, 2, 100)
  expect(limit.calls).toBe(Number.POSITIVE_INFINITY)
})

test("after ten minutes a larger one is tried, and the limit grows as long as that works", () => {
  const { clock, limit } = make()
  for (let i = 0; i < 20; i++) send(limit, 200, 3)
  clock.advance(599_000)
  expect(send(limit, 200, 100)).toBe(3)
  clock.advance(1_000)
  expect([send(limit, 200, 100), send(limit, 200, 100), send(limit, 200, 100)]).toEqual([6, 12, 24])
})

test("a node that takes less than before gets less", () => {
  const { limit } = make()
  for (let i = 0; i < 20; i++) send(limit, 200, 50)
  for (let i = 0; i < 20; i++) send(limit, 200, 4)
  expect(send(limit, 200, 4)).toBe(4)
})
