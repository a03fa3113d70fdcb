import { afterEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import { rollbackTo } from "../../../test/support/rollback-store.js"
import { readBlocks } from "../../families/evm/raw/read-blocks.js"
import { Connection } from "../../postgres/connection.js"
import { PostgresRawReader } from "./postgres-raw-reader.js"

let store: DeriveStore
afterEach(() => store.close())

test("a range that raw does not cover is not read", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 12 }), { workers: [] })
  const connect = () => Connection.open({ url: store.rawUrl, applicationName: "test" })
  const reader = new PostgresRawReader({ connect, readBlocks })
  try {
    // Its rows are still there, as for whoever read them before a rollback.
    await store.raw.query("update raw.coverage set heights = '{[0,8)}'")
    await expect(reader.open({ from: 6, to: 10 })).rejects.toMatchObject({ code: "NOT_COVERED" })
    const range = await reader.open({ from: 4, to: 8 })
    expect((await range.next())?.map(({ height }) => height)).toEqual([4, 5, 6, 7])
    await range.close()
  } finally {
    await reader.close()
  }
})

test("what is read is of one moment, and so is the epoch it is read at, though a rollback comes in between", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 12 }), { workers: [] })
  const connect = () => Connection.open({ url: store.rawUrl, applicationName: "test" })
  const reader = new PostgresRawReader({ connect, readBlocks })
  const read = async (meanwhile?: () => Promise<void>): Promise<unknown> => {
    const range = await reader.open({ from: 4, to: 8 })
    await meanwhile?.()
    const blocks = await range.next()
    await range.close()
    return { epoch: range.chainEpoch, counts: blocks?.map(({ transactions }) => transactions.length) }
  }
  try {
    const before = await read()
    expect(await read(() => rollbackTo(store, 6))).toEqual(before)
    await expect(read()).rejects.toMatchObject({ code: "NOT_COVERED" })
  } finally {
    await reader.close()
  }
})
