import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { CuttingExecutor } from "../../test/support/cutting-executor.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { openRollback, rollbackTo } from "../../test/support/rollback-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { isIndexerError } from "../platform/errors.js"
import { systemRandom } from "../platform/random.js"
import { alignStores } from "./align-stores.js"
import { cancelRollback } from "./cancel-rollback.js"
import { finishRollback } from "./finish-rollback.js"
import { rollbackApp } from "./rollback-app.js"
import { rollbackRaw } from "./rollback-raw.js"

const actor = "ann@harbour"
const blocks = livelyBlocks({ seed: 5, from: 0, to: 24 })
let store: DeriveStore
afterEach(() => store.close())

const open = async (twoDatabases: boolean): Promise<void> => {
  store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases })
  await store.deriveAll()
}
const deps = () => ({ ...store, random: systemRandom })

async function state(): Promise<unknown> {
  const raw = await store.raw.query(
    `select intent_id is not null as open, chain_epoch::int4 as epoch,
       (select upper(heights)::int4 from raw.coverage) as end, (select max(height)::int4 + 1 from raw.blocks) as blocks,
       (select array_agg(removed::text order by epoch) from raw.rollbacks) as removed
     from raw.chain_state`,
  )
  const app = await store.app.query(
    `select chain_epoch::int4 as epoch, (select array_agg(removed::text order by epoch) from app.rollbacks) as removed,
       (select array_agg(distinct upper(heights)::int4) from app.coverage) as ends,
       (select count(*)::int4 from app.audit_log where action = 'rollback cancel') as cancelled,
       (select count(*)::int4 from app.outbox) as told
     from app.chain_state`,
  )
  return { raw: raw.rows[0], app: app.rows[0] }
}

const untouched = {
  raw: { open: true, epoch: 0, end: 24, blocks: 24, removed: null },
  app: { epoch: 0, removed: null, ends: [24], cancelled: 0, told: 0 },
}
const decided = { ...untouched, app: { ...untouched.app, epoch: 1, removed: ["empty"], cancelled: 1 } }
const cancelled = { ...decided, raw: { ...untouched.raw, open: false, epoch: 1, removed: ["empty"] } }
const rolledBack = {
  raw: { open: false, epoch: 1, end: 15, blocks: 15, removed: ["[15,)"] },
  app: { epoch: 1, removed: ["[15,)"], ends: [15], cancelled: 0, told: 1 },
}

async function expectRight(): Promise<void> {
  const report = await checkDerived(store)
  if (!report.ok) throw new Error(formatReport(report))
  expect(await alignStores(deps())).toBe("agreed")
}

/** An operator whose connections break before the n-th statement. */
async function cancelAndDie(statements: number): Promise<void> {
  const budget = { statements }
  const raw = await CuttingExecutor.open(store.rawUrl, budget)
  const app = await CuttingExecutor.open(store.appUrl, budget)
  try {
    await cancelRollback({ ...deps(), raw, app }, { actor })
  } catch (error) {
    if (!isIndexerError(error, "DATABASE_UNREACHABLE")) throw error
  } finally {
    raw.close()
    app.close()
  }
}

describe.each([
  ["one database", false],
  ["two databases", true],
])("a rollback, in %s,", (_, twoDatabases) => {
  test("that nothing has acted on is cancelled, audited, and removes nothing", async () => {
    await open(twoDatabases)
    await openRollback(store, 15)
    expect(await cancelRollback(deps(), { actor })).toMatchObject({ from: 15, reason: "test" })
    expect(await state()).toEqual(cancelled)
    await expectRight()
    await expect(cancelRollback(deps(), { actor })).rejects.toMatchObject({ code: "NOT_FOUND" })
    await rollbackTo(store, 20)
    await expectRight()
  })

  test("is cancelled or not wherever the operator's connection breaks, and any process finishes that", async () => {
    await open(twoDatabases)
    await openRollback(store, 15)
    let statements = 0
    for (; JSON.stringify(await state()) === JSON.stringify(untouched); statements++) await cancelAndDie(statements)
    expect(statements).toBeGreaterThan(5)
    expect(await state()).toEqual(decided)
    expect(await finishRollback(deps())).toBeUndefined()
    expect(await state()).toEqual(cancelled)
    await expectRight()
  })

  test("can no longer be cancelled when app has done its step, and goes on", async () => {
    await open(twoDatabases)
    await openRollback(store, 15)
    await rollbackApp(deps(), (await testLedgers.raw.readIntent(store.raw))!)
    await expect(cancelRollback(deps(), { actor })).rejects.toMatchObject({ code: "ROLLBACK_STARTED" })
    await finishRollback(deps())
    expect(await state()).toEqual(rolledBack)
    await expectRight()
  })

  test("is cancelled or done, in both databases alike, where processes act at the same moment", async () => {
    await open(twoDatabases)
    await openRollback(store, 15)
    const [outcome] = await Promise.allSettled([
      cancelRollback(deps(), { actor }),
      ...[1, 2].map(() => finishRollback(deps())),
    ])
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "ROLLBACK_STARTED" })
    await finishRollback(deps())
    expect(await state()).toEqual(outcome.status === "fulfilled" ? cancelled : rolledBack)
    await expectRight()
  })

  test("removes nothing in a process that read it before it was cancelled", async () => {
    await open(twoDatabases)
    await openRollback(store, 15)
    const intent = (await testLedgers.raw.readIntent(store.raw))!
    await cancelRollback(deps(), { actor })
    const removed = await rollbackApp(deps(), intent)
    expect(removed).toBeNull()
    await rollbackRaw(deps(), intent, removed)
    expect(await state()).toEqual(cancelled)
    await expectRight()
  })
})

test("a rollback that brings app in line with a raw database that lost commits is not cancelled", async () => {
  await open(true)
  const request = { id: systemRandom.uuid(), from: 15, ancestorHash: null, epoch: 0, above: 0, reason: "test" }
  await testLedgers.raw.openIntent(store.raw, request)
  await expect(cancelRollback(deps(), { actor })).rejects.toMatchObject({ code: "ROLLBACK_STARTED" })
  expect(await state()).toEqual(untouched)
})

test("a cancelled rollback that app lost is recorded there again, and nothing is undone", async () => {
  await open(true)
  await openRollback(store, 15)
  await cancelRollback(deps(), { actor })
  await store.app.query("delete from app.rollbacks")
  await store.app.query("update app.chain_state set chain_epoch = 0")
  expect(await alignStores(deps())).toBe("app-went-back")
  expect(await state()).toEqual(cancelled)
  await expectRight()
})

test("a cancelled rollback that raw lost is recorded there again, and no block is removed", async () => {
  await open(true)
  await openRollback(store, 15)
  await cancelRollback(deps(), { actor })
  await store.raw.query("delete from raw.rollbacks")
  await store.raw.query("update raw.chain_state set chain_epoch = 0")
  expect(await alignStores(deps())).toBe("raw-went-back")
  expect(await state()).toMatchObject({
    raw: { open: false, epoch: 2, end: 24, blocks: 24, removed: ["empty", "[24,)"] },
    app: { epoch: 2, ends: [24], removed: ["empty", "[24,)"] },
  })
  await expectRight()
})
