import { afterEach, describe, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type Clock, systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { int8 } from "./column.js"
import { defineWorker, eventTable } from "./define-worker.js"
import { LiveDeriver } from "./live-deriver.js"
import { RawCoverageCopier } from "./raw-coverage-copier.js"
import { SlowWorkers } from "./slow-workers.js"
import { readWorkPlan } from "./work-plan.js"

let store: DeriveStore
afterEach(() => store.close())

/** Time passes only where somebody lets it. */
class HandClock implements Clock {
  turns = 0
  private ms = 1_000
  pass(ms: number): void {
    this.ms += ms
  }
  monotonic = (): number => this.ms
  now = (): number => this.ms
  sleep = systemClock.sleep
  turn = async (): Promise<void> => {
    this.turns++
  }
}

const worker = (name: string, before: () => void = () => undefined) =>
  defineWorker({
    name,
    version: 1,
    tables: { [`${name}_blocks`]: eventTable({ columns: { block_height: int8 }, key: ["block_height"] }) },
    extract: ({ block, emit }) => {
      before()
      emit[`${name}_blocks`]!({ block_height: block.height })
    },
  })

const covered = async (): Promise<Record<string, string>> => {
  const { rows } = await store.app.query<{ worker_type: string; heights: string }>(
    "select worker_type, heights::text as heights from app.coverage where worker_type <> 'raw_ingester'",
  )
  return Object.fromEntries(rows.map(({ worker_type, heights }) => [worker_type, heights]))
}

describe("a worker that takes long", () => {
  const blocks = livelyBlocks({ seed: 2, from: 0, to: 8 })

  test("is left to history's lanes at the tip, and tried again a minute later", async () => {
    const clock = new HandClock()
    const workers = [worker("crawler", () => clock.pass(300)), worker("quick")]
    store = await openDeriveStore(blocks.slice(0, 1), { workers })
    const deriver = await store.deriver(workers, { clock })
    const derived: string[] = []
    const live = new LiveDeriver({
      deriver,
      copier: new RawCoverageCopier({ raw: store.raw, app: async () => store.app }),
      readPlan: () =>
        readWorkPlan(store.app, { registry: store.registry, runnable: workers.map(({ name }) => name) }),
      slow: new SlowWorkers({ clock }),
      clock,
      logger: silentLogger,
      random: systemRandom,
      endBlock: undefined,
      leaseTtlMs: 30_000,
      pollMs: 200,
      mayClaim: () => true,
      onOutcome: () => undefined,
      onDerived: ({ from, to }) => derived.push(`${from}-${to}`),
    })
    const look = async (): Promise<Record<string, string>> => {
      await live.runOnce(new AbortController().signal)
      return covered()
    }
    // Nobody knows it yet.
    expect(await look()).toEqual({ crawler: "{[0,1)}", quick: "{[0,1)}" })
    await store.append(blocks.slice(1, 2))
    expect(await look()).toEqual({ crawler: "{[0,1)}", quick: "{[0,2)}" })
    clock.pass(60_000)
    await store.append(blocks.slice(2, 3))
    // One block is enough to see that it still is.
    expect(await look()).toEqual({ crawler: "{[0,2)}", quick: "{[0,3)}" })
    // Only where every worker has a block.
    expect(derived).toEqual(["0-1"])
  })

  test("lets others in its thread have their turn between two blocks", async () => {
    const clock = new HandClock()
    const workers = [worker("crawler", () => clock.pass(300))]
    store = await openDeriveStore(blocks, { workers })
    const deriver = await store.deriver(workers, { clock })
    await store.deriveNext(deriver)
    expect(await covered()).toEqual({ crawler: "{[0,8)}" })
    expect(clock.turns).toBe(8)
  })

  test("and one that is quick takes no turns", async () => {
    const clock = new HandClock()
    const workers = [worker("quick", () => clock.pass(1))]
    store = await openDeriveStore(blocks, { workers })
    await store.deriveNext(await store.deriver(workers, { clock }))
    expect(await covered()).toEqual({ quick: "{[0,8)}" })
    expect(clock.turns).toBe(0)
  })
})
