import { expect, test } from "vitest"
import { VirtualClock } from "../../../test/support/virtual-clock.js"
import { KeptAnswers } from "./kept-answers.js"

const options = (clock: VirtualClock) => ({ clock, most: 2, keepMs: () => 1_000, atOnce: 1 })

test("an answer is made once for all who ask, and again when its time is over", async () => {
  const clock = new VirtualClock()
  const kept = new KeptAnswers<number>(options(clock))
  let made = 0
  const make = async () => ++made
  expect(await Promise.all([kept.get("a", make), kept.get("a", make)])).toEqual([1, 1])
  expect(await kept.get("a", make)).toBe(1)
  await clock.advance(1_000)
  expect(await kept.get("a", make)).toBe(2)
})

test("a failure is not kept, the oldest answers are forgotten, and few are made at a time", async () => {
  const kept = new KeptAnswers<string>(options(new VirtualClock()))
  await expect(kept.get("a", async () => Promise.reject(new Error("down")))).rejects.toThrow("down")
  expect(await kept.get("a", async () => "up")).toBe("up")
  let making = 0
  let most = 0
  const make = async (): Promise<string> => {
    most = Math.max(most, ++making)
    await Promise.resolve()
    making--
    return "made"
  }
  await Promise.all(["b", "c", "d"].map((key) => kept.get(key, make)))
  expect(most).toBe(1)
  expect(await kept.get("a", async () => "again")).toBe("again")
})
