import { afterEach, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { claimAll, claimBeforeCommit } from "../../test/support/claim-before-commit.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { doneOrWaits } from "../../test/support/done-or-waits.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { insertRawRows } from "../../test/support/raw-rows.js"
import { rollbackReasons } from "../../test/support/rollback-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import type { Ledgers } from "../coordination/ledgers.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import type { RollbackLedger } from "../coordination/rollback-ledger.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { systemRandom } from "../platform/random.js"
import { Database } from "../postgres/database.js"
import { type Alignment, alignStores } from "./align-stores.js"
import { finishRollback } from "./finish-rollback.js"

let store: DeriveStore
let raw: Database
afterEach(async () => {
  await raw.end()
  await store.close()
})

const open = async (): Promise<void> => {
  const blocks = livelyBlocks({ seed: 1, from: 0, to: 30 })
  store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases: true })
  raw = new Database({ url: store.rawUrl, applicationName: "test" })
  await store.deriveAll()
}
const deps = () => ({ ...store, raw, random: systemRandom })
const expectRight = async (): Promise<void> => {
  const report = await checkDerived(store)
  if (!report.ok) throw new Error(formatReport(report))
}
/** Stores blocks of another branch. */
const storeBranch = async (seed: number, from: number, to: number): Promise<void> => {
  await insertRawRows(store.rawUrl, livelyBlocks({ seed, from, to }))
  await raw.query("update raw.coverage set heights = heights + int8multirange(int8range($1::int8, $2::int8))", [
    from,
    to,
  ])
  await testLedgers.app.copyRawCoverage({ raw, app: store.app })
}
const rollback = async (from: number): Promise<void> => {
  const { rows } = await raw.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  const epoch = Number(rows[0]!.chain_epoch)
  await testLedgers.raw.openIntent(raw, {
    id: systemRandom.uuid(),
    from,
    ancestorHash: null,
    epoch,
    reason: "test",
  })
  await finishRollback(deps())
}
/** Leaves in raw what a backup from before these blocks would contain. */
const cutRaw = async (from: number): Promise<void> => {
  for (const table of ["raw.events", "raw.transactions", "raw.tx_lookup"])
    await raw.query(`delete from ${table} where block_height >= $1`, [from])
  for (const table of ["raw.blocks", "raw.block_lookup"])
    await raw.query(`delete from ${table} where height >= $1`, [from])
  await raw.query(
    `update raw.coverage set heights = heights - int8multirange(int8range($1::int8, null))
     where worker_type = 'raw_ingester'`,
    [from],
  )
}

test("stores that agree are left alone", async () => {
  await open()
  expect(await alignStores(deps())).toBe("agreed")
  await rollback(20)
  expect(await alignStores(deps())).toBe("agreed")
  await expectRight()
})

test("each rollback of a long list is looked at a few times after a restart, not once for every other one", async () => {
  await open()
  const rollbacks = 2_000
  for (const [database, schema, order] of [
    [raw, "raw", "asc"],
    [store.app, "app", "desc"],
  ] as const) {
    await database.query(
      `insert into ${schema}.rollbacks (id, epoch, removed)
       select lpad(to_hex(epoch), 32, '0')::uuid, epoch, '[1000,)'
       from generate_series(1, $1) as epoch order by epoch ${order}`,
      [rollbacks],
    )
    await database.query(`update ${schema}.chain_state set chain_epoch = $1`, [rollbacks])
  }
  await raw.query("update raw.chain_state set compared_server = null")
  let looks = 0
  const counted = (ledger: RollbackLedger): Pick<RollbackLedger, "readState"> => ({
    readState: async (sql) => {
      const state = await ledger.readState(sql)
      const seen = state!.rollbacks.map(({ id, ...rest }) => ({
        ...rest,
        get id() {
          looks++
          return id
        },
      }))
      return { ...state!, rollbacks: seen }
    },
  })
  const ledgers: Ledgers = {
    ...testLedgers,
    raw: { ...testLedgers.raw, ...counted(testLedgers.raw) },
    app: { ...testLedgers.app, ...counted(testLedgers.app) },
  }
  expect(await alignStores({ ...deps(), ledgers })).toBe("agreed")
  expect(looks).toBeGreaterThanOrEqual(2 * rollbacks)
  expect(looks).toBeLessThanOrEqual(10 * rollbacks)
})

test("on another server raw stores nothing before it was compared with app", async () => {
  await open()
  expect(await alignStores(deps())).toBe("agreed")
  // A promoted standby: without the last blocks, and with the start time of the former server.
  await cutRaw(18)
  await raw.query("update raw.chain_state set compared_server = compared_server - interval '1 hour'")
  // A branch that fills exactly what was lost, so that the two would seem to agree.
  const branch = livelyBlocks({ seed: 2, from: 18, to: 30 })
  await expect(store.append(branch)).rejects.toMatchObject({ code: "SERVER_CHANGED" })
  await raw.query("delete from raw.worker_leases")
  expect(await alignStores(deps())).toBe("raw-went-back")
  expect(await alignStores(deps())).toBe("agreed")
  await store.append(branch)
  await store.deriveAll()
  await expectRight()
})

test("blocks that raw lost are rolled back in app, under a new id and a new epoch", async () => {
  await open()
  // Twice from the same backup, which contains nothing of the first time either.
  for (const [at, seed] of [9, 10].entries()) {
    await cutRaw(18)
    await raw.query("delete from raw.rollbacks")
    await raw.query("update raw.chain_state set chain_epoch = 0")
    expect(await alignStores(deps())).toBe("raw-went-back")
    expect(await alignStores(deps())).toBe("agreed")
    await expectRight()
    for (const [database, schema] of [
      [raw, "raw"],
      [store.app, "app"],
    ] as const) {
      const { rows } = await database.query(`select epoch::int4 from ${schema}.rollbacks order by epoch`)
      expect(rows).toEqual([{ epoch: 1 }, { epoch: 2 }].slice(0, at + 1))
    }
    await storeBranch(seed, 18, 25)
    await store.deriveAll()
    await expectRight()
  }
})

test("a raw store that lost a rollback rolls back what followed it", async () => {
  await open()
  await rollback(20)
  await storeBranch(5, 20, 28)
  await store.deriveAll()
  // The backup is older than the rollback: it has the lost branch and no rollback.
  await raw.query("delete from raw.rollbacks")
  await raw.query("update raw.chain_state set chain_epoch = 0")
  await cutRaw(20)
  await insertRawRows(store.rawUrl, livelyBlocks({ seed: 1, from: 20, to: 30 }))
  await raw.query("update raw.coverage set heights = heights + '{[20,30)}'")
  expect(await alignStores(deps())).toBe("raw-went-back")
  expect(await alignStores(deps())).toBe("agreed")
  await expectRight()
  const { rows } = await raw.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  expect(rows).toEqual([{ chain_epoch: "2" }])
  expect(await rollbackReasons({ raw, app: store.app })).toEqual([
    "test",
    "the raw database went back: it lacks blocks or rollbacks that app knows, from block 20 on",
  ])
})

test("an app store that missed a rollback replays it, and loses what raw does not cover", async () => {
  await open()
  await rollback(20)
  await storeBranch(5, 20, 28)
  // A backup of app from before the rollback: its derived rows above 20 come from the lost branch.
  await store.app.query("delete from app.rollbacks")
  await store.app.query("delete from app.outbox")
  await store.app.query("update app.chain_state set chain_epoch = 0")
  await store.deriveAll()
  expect(await alignStores(deps())).toBe("app-went-back")
  expect(await alignStores(deps())).toBe("agreed")
  expect(await rollbackReasons({ raw, app: store.app })).toEqual(["test"])
  // The backup has no word of it either: consumers still have what was derived from the lost branch.
  const told = "select epoch::int4 as epoch, payload from app.outbox"
  expect((await store.app.query(told)).rows).toEqual([{ epoch: 1, payload: { removed_from: "20" } }])
  const { rows } = await store.app.query<{ chain_epoch: string }>("select chain_epoch from app.chain_state")
  expect(rows).toEqual([{ chain_epoch: "1" }])
  await testLedgers.app.copyRawCoverage({ raw, app: store.app })
  await store.deriveAll()
  await expectRight()
})

test("a claim that comes while a rollback is replayed waits, and finds its heights gone", async () => {
  const upstream = "token_worker"
  const blocks = livelyBlocks({ seed: 1, from: 0, to: 30 })
  store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases: true })
  raw = new Database({ url: store.rawUrl, applicationName: "test" })
  await rollback(20)
  await storeBranch(5, 20, 28)
  await rollback(27)
  await store.deriveAll({ workers: [upstream] })
  // App lost the first rollback and did the second before that was noticed: its epoch is raw's.
  await store.app.query("delete from app.rollbacks where epoch = 1")
  const { executor, claimed } = claimBeforeCommit(store, {
    ...{ worker: "ft_holdings_worker", dependencies: [upstream], to: 30 },
  })
  expect(await alignStores({ ...deps(), app: executor })).toBe("app-went-back")
  expect((await claimed())?.range).toEqual({ from: 0, to: 20 })
})

test("a rollback is replayed once the commits under way have ended", async () => {
  const blocks = livelyBlocks({ seed: 1, from: 0, to: 30 })
  store = await openDeriveStore(blocks, { workers: [], twoDatabases: true })
  raw = new Database({ url: store.rawUrl, applicationName: "test" })
  const leases = new PostgresLeaseStore({ executor: store.app, schema: "app", random: systemRandom })
  await testLedgers.app.register(store.app, "w")
  const lease = await claimAll(store, { worker: "w", dependencies: [], to: 10 })
  await rollback(20)
  await store.app.query("delete from app.rollbacks")
  await store.app.query("update app.chain_state set chain_epoch = 0")
  let aligning: Promise<Alignment> | undefined
  await leases.commit(lease!, {
    write: async () => undefined,
    apply: async () => {
      aligning = alignStores(deps())
      expect(await doneOrWaits(store.app, aligning)).toBe("waits")
    },
  })
  expect(await aligning).toBe("app-went-back")
})
