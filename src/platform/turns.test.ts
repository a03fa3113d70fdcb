import { expect, test } from "vitest"
import { Turns } from "./turns.js"

test("a slot begins when the previous one has ended, in the order of the calls", async () => {
  const turns = new Turns()
  const seen: string[] = []
  const endFirst = await turns.take()
  const second = turns.take().then((end) => {
    seen.push("second")
    end()
  })
  const third = turns.take().then((end) => {
    seen.push("third")
    end()
  })
  await Promise.resolve()
  seen.push("first ends")
  endFirst()
  await Promise.all([second, third])
  expect(seen).toEqual(["first ends", "second", "third"])
})

test("ending a slot twice does not end the next one", async () => {
  const turns = new Turns()
  const endFirst = await turns.take()
  endFirst()
  const endSecond = await turns.take()
  endFirst()
  let third = false
  const waiting = turns.take().then(() => {
    third = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(third).toBe(false)
  endSecond()
  await waiting
})
