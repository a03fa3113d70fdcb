import { afterEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { rollbackReasons } from "../../test/support/rollback-store.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import type { Hex } from "../domain/linked-block.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { finishRollback } from "./finish-rollback.js"
import { ReorgWatch } from "./reorg-watch.js"

let store: DeriveStore
afterEach(() => store.close())

const fetch = { signal: new AbortController().signal }

/** `says` returns one hash for each node; null means that the node has the stored block. */
async function watchOver(says: (height: number) => readonly (Hex | null)[]) {
  const { rows } = await store.raw.query<{ height: string; hash: Buffer }>("select height, hash from raw.blocks")
  const stored = new Map(rows.map(({ height, hash }) => [Number(height), `0x${hash.toString("hex")}` as Hex]))
  const clock = new VirtualClock()
  const watch = new ReorgWatch({
    ...{ raw: store.raw, ledger: store.ledgers.raw, clock, logger: silentLogger, random: systemRandom },
    finish: () => finishRollback({ ...store, random: systemRandom }),
    source: {
      hashesByProvider: async (heights) =>
        says(0).map((_, at) => ({
          provider: `node ${at}`,
          hashes: heights.map((height) => says(height)[at] ?? stored.get(height)!),
        })),
    },
    ...{ maxDepth: 10, confirmMs: 1_000 },
  })
  return { watch, clock }
}

const heights = async (): Promise<string> =>
  (await store.raw.query<{ heights: string }>("select heights::text as heights from raw.coverage")).rows[0]!.heights

const other: Hex = `0x${"ab".repeat(32)}`

test("nodes that lie deeper each time do not pass the cap, counted from the highest block ever stored", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 24 }), { workers: [] })
  let from = 20
  const { watch } = await watchOver((height) => {
    const said = height >= from ? other : null
    return [said, said]
  })
  expect(await watch.check(fetch)).toBe("rolled-back")
  from = 14
  expect(await watch.check(fetch)).toBe("rolled-back")
  expect(await heights()).toBe("{[0,14)}")
  // One block below what is stored now, eleven below the highest block ever stored.
  from = 13
  expect(await watch.check(fetch)).toBe("halted")
  expect(await heights()).toBe("{[0,14)}")
})

test("a single node is asked twice, and nodes that disagree are not followed", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 24 }), { workers: [] })
  const disputed = await watchOver((height) => [height >= 20 ? other : null, null])
  expect(await disputed.watch.check(fetch)).toBe("waiting")
  disputed.clock.advance(5_000)
  expect(await disputed.watch.check(fetch)).toBe("waiting")
  const alone = await watchOver((height) => [height >= 20 ? other : null])
  expect(await alone.watch.check(fetch)).toBe("waiting")
  expect(await alone.watch.check(fetch)).toBe("waiting")
  expect(await heights()).toBe("{[0,24)}")
  alone.clock.advance(1_000)
  expect(await alone.watch.check(fetch)).toBe("rolled-back")
  expect(await heights()).toBe("{[0,20)}")
  expect(await rollbackReasons(store)).toEqual([
    `reorganisation: the node has ${other} at block 20, not the stored one`,
  ])
})
