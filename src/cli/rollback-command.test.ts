import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { openRollback, rollbackReasons } from "../../test/support/rollback-store.js"
import { runCommand } from "../../test/support/run-command.js"
import { systemRandom } from "../platform/random.js"
import { refetchBlocks } from "../verify/refetch-blocks.js"

let store: DeriveStore

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 5, from: 0, to: 24 }), { workers: [] })
}, 60_000)

afterAll(() => store.close())

const rollback = (...argv: readonly string[]) =>
  runCommand(["rollback", ...argv], { env: { DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl } })

const stored = async (): Promise<unknown> =>
  (
    await store.raw.query(
      `select intent_id is not null as open, (select count(*)::int4 from raw.blocks) as blocks,
         (select count(*)::int4 from raw.rollbacks) as rollbacks, (select count(*)::int4 from raw.audit_log) as audited
       from raw.chain_state`,
    )
  ).rows[0]

const untouched = { open: false, blocks: 24, rollbacks: 0, audited: 0 }

describe("a rollback that a person asks for", () => {
  test("does nothing without --yes", async () => {
    expect(await rollback("--to", "19")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Would remove 4 blocks (20 to 23)"),
    })
    expect(await stored()).toEqual(untouched)
  })

  // What is recorded, any process finishes: an audit row that comes later might never come.
  test.each([
    ["by hand", async () => expect((await rollback("--to", "19", "--yes")).code).not.toBe(0)],
    [
      "to repair a block",
      async () => {
        const request = { heights: { from: 5, to: 6 }, actor: "ann@harbour" }
        await expect(refetchBlocks({ ...store, random: systemRandom }, request)).rejects.toThrow()
      },
    ],
  ])("is not recorded where who asked for it cannot be: %s", async (_, attempt) => {
    await store.raw.query("alter table raw.audit_log add constraint nobody check (actor = 'nobody')")
    try {
      await attempt()
    } finally {
      await store.raw.query("alter table raw.audit_log drop constraint nobody")
    }
    expect(await stored()).toEqual(untouched)
  })

  test("is in the audit log once, with what it took", async () => {
    expect(await rollback("--to", "19", "--yes", "--reason", "a bad node")).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({ open: false, blocks: 20, rollbacks: 1, audited: 1 })
    const { rows } = await store.raw.query(
      `select actor, action, details from raw.audit_log
       where details ->> 'id' = (select id::text from raw.rollbacks)`,
    )
    expect(rows).toMatchObject([
      { actor: "ann@harbour", action: "rollback", details: { to: 19, blocks: 4, halt: null, reason: "a bad node" } },
    ])
    expect(await rollbackReasons(store)).toEqual(["a bad node, asked for by ann@harbour"])
  })

  test("says why where a block is repaired, too", async () => {
    const request = { heights: { from: 5, to: 6 }, actor: "ann@harbour" }
    await refetchBlocks({ ...store, random: systemRandom }, request)
    expect((await rollbackReasons(store))[1]).toBe(
      "repair: damaged blocks are fetched again, asked for by ann@harbour",
    )
  })
})

describe("an open rollback", () => {
  const cancellations = async (): Promise<unknown[]> =>
    (await store.app.query("select actor, details from app.audit_log where action = 'rollback cancel'")).rows

  test("is cancelled with --cancel --yes, and only shown without --yes", async () => {
    expect(await rollback("--cancel")).toMatchObject({ code: 1, err: expect.stringContaining("NOT_FOUND") })
    await openRollback(store, 15)
    expect(await rollback("--cancel")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Would cancel the rollback of test from block 15 on (test).\nNothing was done"),
    })
    expect(await cancellations()).toEqual([])
    expect(await stored()).toMatchObject({ open: true })
    const done = await rollback("--cancel", "--yes", "--json")
    expect([done.code, JSON.parse(done.out)]).toMatchObject([0, { from: "15", reason: "test", cancelled: true }])
    expect(await cancellations()).toMatchObject([{ actor: "ann@harbour", details: { removes: "from block 15 on" } }])
    expect(await stored()).toMatchObject({ open: false })
  })

  test("is not given a height and a cancellation at once", async () => {
    expect((await rollback("--cancel", "--to", "3")).code).toBe(2)
  })
})
