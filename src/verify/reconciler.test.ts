import { afterEach, beforeEach, expect, test } from "vitest"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { openWholeStore } from "../../test/support/whole-store.js"
import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { tokenWorker } from "../families/evm/indexes/tokens/token-worker.js"
import { silentLogger } from "../platform/logger.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import type { CheckName } from "./finding.js"
import { Reconciler } from "./reconciler.js"

const dayMs = 86_400_000
const signal = new AbortController().signal

let store: DeriveStore
let raw: Database
let clock: VirtualClock
let reports: ReadonlyMap<CheckName, number>[]

beforeEach(async () => {
  store = await openWholeStore({ seed: 5, from: 0, to: 12, workers: [tokenWorker], twoDatabases: true })
  raw = new Database({ url: store.rawUrl, applicationName: "test" })
  clock = new VirtualClock()
  reports = []
  await store.app.query("update app.chain_state set created_at = to_timestamp($1)", [
    (clock.now() - 3 * dayMs) / 1_000,
  ])
})

afterEach(async () => {
  await raw.end()
  await store.close()
})

function reconciler(): Reconciler {
  const open = (url: string): Promise<Connection> => Connection.open({ url, applicationName: "test" })
  return new Reconciler({
    raw,
    app: store.app,
    ledgers: store.ledgers,
    elections: postgresElections,
    connect: async () => ({ raw: await open(store.rawUrl), app: await open(store.appUrl) }),
    family: store.family,
    exceptions: [],
    holder: "test",
    clock,
    logger: silentLogger,
    intervalMs: 60_000,
    onChecked: (left) => reports.push(left),
  })
}

const lookups = async (): Promise<number> =>
  (await raw.query<{ count: number }>("select count(*)::int4 as count from raw.block_lookup")).rows[0]!.count

test("one of all reconcilers verifies the store each night", async () => {
  await Promise.all([reconciler().runOnce(signal), reconciler().runOnce(signal)])
  await reconciler().runOnce(signal)
  expect(reports).toHaveLength(1)
  clock.advance(dayMs)
  await reconciler().runOnce(signal)
  expect(reports).toHaveLength(2)
})

test("a store created after the start of the night waits for the next one", async () => {
  await store.app.query("update app.chain_state set created_at = to_timestamp($1)", [clock.now() / 1_000])
  await reconciler().runOnce(signal)
  expect(reports).toHaveLength(0)
  clock.advance(dayMs)
  await reconciler().runOnce(signal)
  expect(reports).toHaveLength(1)
})

test("lookups are repaired at once, other damage is reported and left", async () => {
  const before = await lookups()
  await raw.query("delete from raw.block_lookup where height = 4")
  // In the part of the hashes that this night scans.
  const part = Math.floor((clock.now() - 3 * 3_600_000) / dayMs) % 256
  await raw.query("insert into raw.block_lookup values ($1, 7, now())", [Buffer.from([part, 1, 2])])
  await raw.query("update raw.blocks set event_count = event_count + 1 where height = 6")
  await reconciler().runOnce(signal)
  expect(await lookups()).toBe(before)
  expect(reports[0]!.get("counts")).toBe(1)
  expect(reports[0]!.get("row-lookups")).toBe(0)
  const { rows } = await store.app.query<{ actor: string; details: unknown }>(
    "select actor, details from app.audit_log where action = 'reconcile'",
  )
  expect(rows).toEqual([
    {
      actor: "test",
      details: expect.objectContaining({
        mended_lookups: 2,
        left: 1,
        findings: [expect.stringMatching(/^block 6 declares \d+ events/)],
      }),
    },
  ])
})
