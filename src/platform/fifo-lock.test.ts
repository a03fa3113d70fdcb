import { expect, test } from "vitest"
import { FifoLock } from "./fifo-lock.js"

test("a slot begins when the previous one has ended, in the order of the calls", async () => {
  const lock = new FifoLock()
  const seen: string[] = []
  const endFirst = await lock.take()
  const second = lock.take().then((end) => {
    seen.push("second")
    end()
  })
  const third = lock.take().then((end) => {
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
  const lock = new FifoLock()
  const endFirst = await lock.take()
  endFirst()
  const endSecond = await lock.take()
  endFirst()
  let third = false
  const waiting = lock.take().then(() => {
    third = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(third).toBe(false)
  endSecond()
  await waiting
})
