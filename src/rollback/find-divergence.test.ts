import { afterEach, beforeEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import type { Hex } from "../domain/linked-block.js"
import { type Divergence, findDivergence } from "./find-divergence.js"

const other: Hex = `0x${"ab".repeat(32)}`
let store: DeriveStore
/** By height, also in the gap: [0, 10) and [15, 24) are stored. */
let chain: Map<number, Hex>

beforeEach(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 24 }), { workers: [] })
  await store.raw.query(
    `update raw.coverage set heights = '{[0,10),[15,24)}';
     update raw.blocks set parent_hash = (select hash from raw.blocks where height = 14) where height = 15`,
  )
  const { rows } = await store.raw.query<{ height: string; hash: Buffer }>("select height, hash from raw.blocks")
  chain = new Map(rows.map(({ height, hash }) => [Number(height), `0x${hash.toString("hex")}` as Hex]))
})
afterEach(() => store.close())

type Node = (height: number) => Hex | undefined

function find(...nodes: readonly Node[]): Promise<Divergence> {
  const hashesByProvider = async (heights: readonly number[]) =>
    nodes.map((node, at) => ({ provider: `node ${at}`, hashes: heights.map((height) => node(height) ?? null) }))
  return findDivergence({ raw: store.raw, source: { hashesByProvider } }, { signal: new AbortController().signal })
}

test("the lowest stored block that differs is found, though a gap and equal blocks lie above it", async () => {
  const found = await find((height) => (height === 7 || height === 8 ? other : chain.get(height)))
  expect(found).toMatchObject({ kind: "diverged", height: 7, hash: other, ancestorHash: chain.get(6) })
})

test("stored blocks above a gap in which a shorter chain ends are found by their parent", async () => {
  const endsAt =
    (last: number, hash?: Hex): Node =>
    (height) =>
      height === last ? (hash ?? chain.get(height)) : height < last ? chain.get(height) : undefined
  expect(await find(endsAt(14, other))).toMatchObject({ kind: "diverged", height: 15, hash: other, providers: 1 })
  expect(await find(endsAt(14, other), endsAt(14))).toMatchObject({ kind: "disputed", height: 15 })
  // A chain that ends below the stored blocks and may still reach them.
  expect(await find(endsAt(14))).toEqual({ kind: "none" })
  expect(await find(endsAt(12, other))).toEqual({ kind: "none" })
  // A provider that has the block decides.
  expect(await find(endsAt(14, other), endsAt(23))).toEqual({ kind: "none" })
})
