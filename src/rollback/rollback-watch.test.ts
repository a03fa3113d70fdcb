import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { type FinishedRollback, RollbackWatch } from "./rollback-watch.js"

const intent = { id: "a", epoch: 1, from: 900, to: Number.MAX_SAFE_INTEGER, binding: false, reason: "test" }

test("callers in one process share one attempt, whose progress, pace and end can be read", async () => {
  const clock = new VirtualClock()
  const finished: unknown[] = []
  const watch = new RollbackWatch({ clock, onFinished: (one) => finished.push(one) })
  let end = (_: FinishedRollback): void => undefined
  let attempts = 0
  const work = (): Promise<FinishedRollback> => {
    attempts++
    return new Promise((resolve) => {
      end = resolve
    })
  }
  expect(watch.state()).toBeNull()
  const both = [watch.run(intent, work), watch.run(intent, work)]
  expect(attempts).toBe(1)
  expect(watch.state()).toMatchObject({ id: "a", step: null })
  watch.report("app", { done: 0, total: 1_000 })
  expect(watch.state()).toMatchObject({ step: "app", done: 0, total: 1_000, etaMs: null })
  clock.advance(5_000)
  watch.report("app", { done: 250, total: 1_000 })
  expect(watch.state()).toMatchObject({ step: "app", done: 250, total: 1_000, etaMs: 15_000 })
  // The other step has a pace of its own.
  watch.report("raw", { done: 0, total: 1_000 })
  expect(watch.state()).toMatchObject({ step: "raw", done: 0, total: 1_000, etaMs: null })
  end({ intent, blocks: 1_000 })
  expect(await Promise.all(both)).toEqual([intent, intent])
  expect(finished).toEqual([{ blocks: 1_000, ms: 5_000 }])
  expect(watch.state()).toBeNull()
})

test("failures of one rollback are counted until it is over", async () => {
  const watch = new RollbackWatch({ clock: new VirtualClock() })
  for (const _ of [1, 2]) {
    const failing = watch.run(intent, () => Promise.reject(new Error("no")))
    await expect(failing).rejects.toThrow("no")
  }
  expect(watch.state()).toMatchObject({ step: null, failures: 2, error: { code: "BUG", message: "no" } })
  watch.none()
  expect(watch.state()).toBeNull()
})
