import { afterEach, describe, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import { rollbackTo } from "../../../test/support/rollback-store.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import type { Queryable } from "../../postgres/transaction.js"
import { chainLock } from "./locks.js"
import { rawCoverageCopy } from "./raw-coverage-copy.js"

const { copyRawCoverage } = rawCoverageCopy
const blocks = livelyBlocks({ seed: 7, from: 0, to: 24 })
let store: DeriveStore
afterEach(() => store.close())

const open = async (): Promise<void> => {
  store = await openDeriveStore(blocks, { workers: [], twoDatabases: true })
}
const copied = async (): Promise<string> => {
  const { rows } = await store.app.query<{ heights: string }>("select heights::text as heights from app.coverage")
  return rows[0]!.heights
}
/** Raw, with something that happens after it was read. */
const rawThen = (happens: () => Promise<void>): Queryable => ({
  query: async (sql, params) => {
    const result = await store.raw.query(sql, params)
    await happens()
    return result as never
  },
})

describe("the copy of raw's coverage", () => {
  test("is not written when a rollback came between its two databases", async () => {
    await open()
    const raw = rawThen(() => rollbackTo(store, 15))
    expect(await copyRawCoverage({ raw, app: store.app })).toBeUndefined()
    expect(await copied()).toBe("{[0,15)}")
  })

  test("waits for a rollback under way, and then sees its epoch", async () => {
    await open()
    await store.app.query("update app.coverage set heights = '{[0,20)}'")
    let copying: Promise<number | undefined> | undefined
    await store.app.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
      await tx.query("update app.coverage set heights = '{[0,15)}'")
      copying = copyRawCoverage(store)
      const isWaiting = async (): Promise<boolean> => {
        const { rows } = await store.raw.query("select 1 from pg_locks where not granted")
        return rows.length > 0
      }
      await waitUntil(isWaiting, { what: "the copier that waits" })
      await tx.query("update app.chain_state set chain_epoch = 1")
    })
    expect(await copying).toBeUndefined()
    expect(await copied()).toBe("{[0,15)}")
  })

  test("is written again where app went back, at the same epoch and over the same connection", async () => {
    await open()
    expect(await copyRawCoverage(store)).toBe(24)
    await store.app.query("update app.coverage set heights = '{[0,15)}'")
    expect(await copyRawCoverage(store)).toBe(24)
    expect(await copied()).toBe("{[0,24)}")
    await store.raw.query("update raw.coverage set heights = '{[0,23)}', skipped = '{[23,24)}'")
    await store.app.query("update app.coverage set heights = '{[0,23)}', skipped = '{}'")
    expect(await copyRawCoverage(store)).toBe(23)
    const { rows } = await store.app.query("select skipped::text as skipped from app.coverage")
    expect(rows).toEqual([{ skipped: "{[23,24)}" }])
  })

  test("only grows: an older reading takes nothing away", async () => {
    await open()
    // With something app has not heard of, else it would not be written at all.
    await store.raw.query("update raw.coverage set heights = '{[0,10),[24,26)}'")
    expect(await copyRawCoverage(store)).toBe(26)
    expect(await copied()).toBe("{[0,26)}")
  })
})
