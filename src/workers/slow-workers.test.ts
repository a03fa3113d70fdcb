import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { defineWorker } from "../families/evm/define-worker.js"
import { type Clock, systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { int8 } from "./column.js"
import { eventTable } from "./define-worker.js"
import { LiveDeriver } from "./live-deriver.js"
import { SlowWorkers } from "./slow-workers.js"
import { WorkLane } from "./work-lane.js"
import { readWorkPlan } from "./work-plan.js"
import type { WorkerDefinition } from "./worker-definition.js"

let store: DeriveStore
afterEach(() => store.close())

/** Time passes only where somebody lets it. */
class HandClock implements Clock {
  yields = 0
  onTurn = (): void => undefined
  private ms = 1_000
  pass(ms: number): void {
    this.ms += ms
  }
  monotonic = (): number => this.ms
  now = (): number => this.ms
  sleep = systemClock.sleep
  yield = async (): Promise<void> => {
    this.yields++
    this.onTurn()
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
  const blocks = livelyBlocks({ seed: 2, from: 0, to: 40 })
  const signal = new AbortController().signal
  let clock: HandClock
  let crawlMs: number
  let workers: readonly WorkerDefinition[]
  beforeEach(() => {
    clock = new HandClock()
    crawlMs = 300
    workers = [worker("crawler", () => clock.pass(crawlMs)), worker("quick")]
  })

  const common = async () => ({
    deriver: await store.deriver(workers, { clock }),
    readPlan: () => readWorkPlan(store.app, { registry: store.registry, runnable: workers.map(({ name }) => name) }),
    slow: new SlowWorkers({ clock }),
    clock,
    logger: silentLogger,
    random: systemRandom,
    endBlock: undefined,
    leaseTtlMs: 30_000,
    mayClaim: () => true,
  })

  describe("at the tip", () => {
    const derived: string[] = []
    let live: LiveDeriver
    beforeEach(async () => {
      derived.length = 0
      store = await openDeriveStore(blocks.slice(0, 1), { workers })
      live = new LiveDeriver({
        ...(await common()),
        pollMs: 200,
        onOutcome: () => undefined,
        onDerived: ({ from, to }) => derived.push(`${from}-${to}`),
      })
    })

    /** What is covered after one look, and how long that took. */
    const look = async () => {
      const began = clock.monotonic()
      await live.runOnce(signal)
      return { ...(await covered()), ms: clock.monotonic() - began }
    }

    test("is left to history's lanes, and a minute later one block of it is tried, after the others have theirs", async () => {
      // Nobody knows it yet.
      expect(await look()).toEqual({ crawler: "{[0,1)}", quick: "{[0,1)}", ms: 300 })
      await store.append(blocks.slice(1, 20))
      expect(await look()).toEqual({ crawler: "{[0,1)}", quick: "{[0,20)}", ms: 0 })
      clock.pass(60_000)
      await store.append(blocks.slice(20, 22))
      expect(await look()).toEqual({ crawler: "{[0,1),[21,22)}", quick: "{[0,22)}", ms: 300 })
      await store.append(blocks.slice(22, 23))
      expect(await look()).toEqual({ crawler: "{[0,1),[21,22)}", quick: "{[0,23)}", ms: 0 })
      expect(derived).toEqual(["0-1", "1-9", "9-17", "17-20", "20-22", "22-23"])
    })

    test("and is quick by then takes part again", async () => {
      await look()
      clock.pass(60_000)
      crawlMs = 1
      await store.append(blocks.slice(1, 3))
      expect(await look()).toEqual({ crawler: "{[0,1),[2,3)}", quick: "{[0,3)}", ms: 1 })
      await store.append(blocks.slice(3, 4))
      expect(await look()).toEqual({ crawler: "{[0,4)}", quick: "{[0,4)}", ms: 2 })
    })
  })

  describe("in history", () => {
    beforeEach(async () => {
      store = await openDeriveStore(blocks, { workers })
    })

    test("goes on by itself, and the others get as much time as it took", async () => {
      const lane = new WorkLane({
        ...(await common()),
        order: "oldest",
        rangeSize: 4,
        idleMs: 500,
        tipIsLive: () => false,
        onOutcome: () => undefined,
      })
      const look = async () => {
        await lane.runOnce(signal)
        return covered()
      }
      expect(await look()).toEqual({ crawler: "{[0,4)}", quick: "{[0,4)}" })
      // Found slow: one after the other now.
      expect(await look()).toEqual({ crawler: "{[0,8)}", quick: "{[0,8)}" })
      // The others' ranges take no time, so all that are left fit into what it took.
      expect(await look()).toEqual({ crawler: "{[0,12)}", quick: "{[0,40)}" })
    })

    test("lets other lanes of its thread run between two blocks, and the tip go first", async () => {
      let passes = 0
      const gate = { pass: async () => void passes++, passBefore: async () => undefined }
      const deriver = await store.deriver(workers, { clock, gate })
      await store.deriveNext(deriver, { maxBlocks: 6, workers: ["crawler"] })
      expect(await covered()).toEqual({ crawler: "{[0,6)}", quick: "{}" })
      expect(clock.yields).toBe(6)
      // Also before each piece it reads, and its rows.
      expect(passes).toBeGreaterThan(6)
    })

    test("does not yield where it is quick", async () => {
      crawlMs = 1
      await store.deriveNext(await store.deriver(workers, { clock }))
      expect(await covered()).toEqual({ crawler: "{[0,10)}", quick: "{[0,10)}" })
      expect(clock.yields).toBe(0)
    })

    test("ends between two blocks when it is told to", async () => {
      const stopping = new AbortController()
      clock.onTurn = () => stopping.abort(new Error("stopping"))
      const deriver = await store.deriver(workers, { clock })
      const plan = await readWorkPlan(store.app, { registry: store.registry, runnable: ["crawler"] })
      const outcome = await deriver.deriveNext(
        {
          members: plan!.members,
          regions: [{ from: 0, to: 40 }],
          maxBlocks: 40,
          ttlMs: 30_000,
          order: "oldest",
        },
        stopping.signal,
      )
      expect(outcome).toMatchObject({ kind: "failed", cause: "shutdown" })
      expect(clock.yields).toBe(1)
      expect(await covered()).toEqual({ crawler: "{}", quick: "{}" })
    })
  })
})
