import { afterEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import type { Hex } from "../domain/linked-block.js"
import { findDivergence } from "./find-divergence.js"

let store: DeriveStore
afterEach(() => store.close())

test("the lowest stored block that differs is found, though a gap and equal blocks lie above it", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 24 }), { workers: [] })
  await store.raw.query("update raw.coverage set heights = '{[0,10),[15,24)}'")
  const { rows } = await store.raw.query<{ height: string; hash: Buffer }>("select height, hash from raw.blocks")
  const stored = new Map(rows.map(({ height, hash }) => [Number(height), `0x${hash.toString("hex")}` as Hex]))
  const other: Hex = `0x${"ab".repeat(32)}`
  const hashesByProvider = async (heights: readonly number[]) => [
    {
      provider: "node",
      hashes: heights.map((height) => (height === 7 || height === 8 ? other : stored.get(height)!)),
    },
  ]
  const found = await findDivergence(
    { raw: store.raw, source: { hashesByProvider } },
    { signal: new AbortController().signal },
  )
  expect(found).toMatchObject({ kind: "diverged", height: 7, hash: other, ancestorHash: stored.get(6) })
})
