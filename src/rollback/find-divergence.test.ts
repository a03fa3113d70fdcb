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

/** How many requests the last search took. */
let requests: number

function find(...nodes: readonly Node[]): Promise<Divergence> {
  requests = 0
  const hashesByProvider = async (heights: readonly number[]) => {
    requests++
    return nodes.map((node, at) => ({ provider: `node ${at}`, hashes: heights.map((height) => node(height) ?? null) }))
  }
  return findDivergence({ raw: store.raw, source: { hashesByProvider } }, { signal: new AbortController().signal })
}

test("the lowest stored block that differs is found, though a gap and equal blocks lie above it", async () => {
  const found = await find((height) => (height >= 7 && height < 10 ? other : chain.get(height)))
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
  expect(await find(endsAt(14))).toEqual({ kind: "none", isWhole: false })
  expect(await find(endsAt(12, other))).toEqual({ kind: "none", isWhole: false })
  // A provider that has the block decides.
  expect(await find(endsAt(14, other), endsAt(23))).toEqual({ kind: "none", isWhole: true })
  expect(await find(endsAt(22), endsAt(14))).toEqual({ kind: "none", isWhole: false })
})

test("a stretch of 20,000 blocks takes a few requests, wherever the chains part or end", async () => {
  const stored = (height: number): Hex => `0x${"0".repeat(56)}${height.toString(16).padStart(8, "0")}`
  const length = 20_000
  await store.raw.query(
    `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count)
     select height, int8send(0) || int8send(0) || int8send(0) || int8send(height),
       int8send(0) || int8send(0) || int8send(0) || int8send(height - 1), now(), 0, 0
     from generate_series(100, $1::int8 - 1) as height`,
    [length],
  )
  await store.raw.query("update raw.coverage set heights = int8multirange(int8range(100, $1::int8))", [length])
  const partsAt =
    (part: number, { end = length }: { end?: number } = {}): Node =>
    (height) =>
      height >= end ? undefined : height >= part ? other : stored(height)
  expect([await find(partsAt(length)), requests]).toEqual([{ kind: "none", isWhole: true }, 1])
  for (const part of [100, 101, 4_321, 12_345, length - 1]) {
    const found = await find(partsAt(part), partsAt(part))
    expect(found).toMatchObject({ kind: "diverged", height: part, providers: 2 })
    expect(requests).toBeLessThanOrEqual(4)
  }
  // A chain that became shorter, and one of a provider that lags.
  expect(await find(partsAt(9_000, { end: 9_003 }))).toMatchObject({ kind: "diverged", height: 9_000 })
  expect(requests).toBeLessThanOrEqual(4)
  expect(await find(partsAt(length), partsAt(length, { end: 700 }))).toEqual({ kind: "none", isWhole: true })
  expect(await find(partsAt(length), partsAt(500, { end: 700 }))).toMatchObject({ kind: "disputed", height: 500 })
  expect(requests).toBeLessThanOrEqual(5)
})
