import { isDeepStrictEqual } from "node:util"
import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { CuttingExecutor } from "../../test/support/cutting-executor.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { doneOrWaits } from "../../test/support/done-or-waits.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { brokenLookups, openRollback, rollbackTo } from "../../test/support/rollback-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { systemClock } from "../platform/clock.js"
import { isIndexerError } from "../platform/errors.js"
import { systemRandom } from "../platform/random.js"
import { Connection } from "../postgres/connection.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { checkFold } from "../verify/check-folds.js"
import type { Finding } from "../verify/finding.js"
import { planRepair } from "../verify/repair-plan.js"
import { repairStore } from "../verify/repair-store.js"
import { finishRollback } from "./finish-rollback.js"
import { RollbackWatch } from "./rollback-watch.js"

const blocks = livelyBlocks({ seed: 5, from: 0, to: 24 })
let store: DeriveStore
afterEach(() => store.close())

async function expectRight(): Promise<void> {
  const report = await checkDerived(store)
  if (!report.ok) throw new Error(formatReport(report))
  expect(await brokenLookups(store.raw)).toEqual([])
}

interface Progress {
  readonly open: boolean
  readonly rawEpoch: number
  readonly appEpoch: number
  readonly rawEnd: number
  readonly appEnds: readonly number[]
  readonly rawRollbacks: number
  readonly appRollbacks: number
}

async function progress(): Promise<Progress> {
  const {
    rows: [raw],
  } = await store.raw.query<Omit<Progress, "appEpoch" | "appEnds" | "appRollbacks">>(
    `select intent_id is not null as open, chain_epoch::int4 as "rawEpoch",
       (select upper(heights)::int4 from raw.coverage) as "rawEnd",
       (select count(*)::int4 from raw.rollbacks) as "rawRollbacks"
     from raw.chain_state`,
  )
  const {
    rows: [app],
  } = await store.app.query<Pick<Progress, "appEpoch" | "appEnds" | "appRollbacks">>(
    `select chain_epoch::int4 as "appEpoch", (select count(*)::int4 from app.rollbacks) as "appRollbacks",
       (select array_agg(distinct upper(heights)::int4) from app.coverage) as "appEnds"
     from app.chain_state`,
  )
  return { ...raw!, ...app! }
}

/** One process that dies before its n-th statement. */
async function finishAndDie(statements: number): Promise<boolean> {
  const budget = { statements }
  const raw = await CuttingExecutor.open(store.rawUrl, budget)
  const app = await CuttingExecutor.open(store.appUrl, budget)
  try {
    await finishRollback({ ...store, raw, app, random: systemRandom })
    return true
  } catch (error) {
    if (isIndexerError(error, "DATABASE_UNREACHABLE")) return false
    throw error
  } finally {
    raw.close()
    app.close()
  }
}

describe.each([
  ["one database", false],
  ["two databases", true],
])("a rollback, in %s,", (_, twoDatabases) => {
  test("is all or nothing in each database wherever its process dies, and any other process finishes it", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases })
    await store.deriveAll()
    await openRollback(store, 15)
    const before = {
      open: true,
      rawEpoch: 0,
      appEpoch: 0,
      rawEnd: 24,
      appEnds: [24],
      rawRollbacks: 0,
      appRollbacks: 0,
    }
    const between = { ...before, appEpoch: 1, appEnds: [15], appRollbacks: 1 }
    const after = { ...between, open: false, rawEpoch: 1, rawEnd: 15, rawRollbacks: 1 }
    for (const [from, to] of [
      [before, between],
      [between, after],
    ] as const) {
      let died = 0
      for (;;) {
        expect(await progress()).toEqual(from)
        await finishAndDie(died++)
        const now = await progress()
        if (isDeepStrictEqual(now, from)) continue
        expect(now).toEqual(to)
        break
      }
      expect(died).toBeGreaterThan(10)
      await expectRight()
    }
    expect(await finishAndDie(1_000)).toBe(true)
    expect(await progress()).toEqual(after)
  })

  test("that two processes finish at once happens once", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases })
    await store.deriveAll()
    for (const [round, height] of [20, 12].entries()) {
      await openRollback(store, height)
      await Promise.all([finishAndDie(1_000), finishAndDie(1_000), finishAndDie(1_000)])
      const done = round + 1
      expect(await progress()).toEqual({
        ...{ open: false, rawEpoch: done, appEpoch: done, rawEnd: height, appEnds: [height] },
        ...{ rawRollbacks: done, appRollbacks: done },
      })
    }
    await expectRight()
  })
})

test("a rollback is in the outbox once, with its data, its id and its epoch", async () => {
  store = await openDeriveStore(blocks, { workers: [], twoDatabases: true })
  await rollbackTo(store, 20)
  await openRollback(store, 15)
  const sent = async (): Promise<unknown[]> =>
    (await store.app.query("select id, kind, epoch::int4 as epoch, payload from app.outbox order by epoch")).rows
  // A process that dies on the way leaves a row in the outbox exactly if app's step is committed.
  for (let statements = 0; (await progress()).open; statements++) {
    await finishAndDie(statements)
    expect(await sent()).toHaveLength((await progress()).appRollbacks)
  }
  const { rows } = await store.raw.query<{ id: string }>("select id from raw.rollbacks order by epoch")
  expect(await sent()).toEqual([
    { id: rows[0]!.id, kind: "rollback", epoch: 1, payload: { removed_from: "20" } },
    { id: rows[1]!.id, kind: "rollback", epoch: 2, payload: { removed_from: "15" } },
  ])
})

describe("leases of the raw ingester", () => {
  test("below a rollback commit as usual; one that straddles is cut and due; those above are gone", async () => {
    store = await openDeriveStore(blocks, { workers: [] })
    const leases = new PostgresLeaseStore({ executor: store.raw, schema: "raw", random: systemRandom })
    await store.raw.query("update raw.coverage set heights = '{}'")
    const claim = async (from: number, to: number) => {
      const lease = await leases.claim({
        ...{ worker: rawIngester, holder: "test", order: "oldest", ttlMs: 60_000, dependencies: [] },
        ...{ regions: [{ from, to }], rangeSize: 1_000, maxBlocks: to - from },
      })
      return lease!
    }
    const commit = async (lease: Awaited<ReturnType<typeof claim>>): Promise<string> =>
      leases
        .commit(lease, { write: async () => undefined })
        .then(() => "done")
        .catch((error: unknown) => (isIndexerError(error) ? error.code : String(error)))
    const lowest = await claim(0, 5)
    const low = await claim(5, 10)
    const straddling = await claim(10, 20)
    const high = await claim(20, 24)
    const dead = await claim(24, 25)
    await store.raw.query("update raw.worker_leases set status = 'DEAD' where id = $1", [dead.id])
    await openRollback(store, 15)
    expect(await commit(lowest)).toBe("done")
    expect(await commit(high)).toBe("ROLLBACK_OPEN")
    await finishRollback({ ...store, random: systemRandom })
    const cutRow = (await testLedgers.raw.snapshot(store.raw)).leases.find(({ id }) => id === straddling.id)
    expect(cutRow).toMatchObject({ status: "FAILED", range: { from: 10, to: 15 } })
    expect(cutRow?.epoch).not.toBe(straddling.epoch)
    expect(await commit(straddling)).toBe("ROLLED_BACK")
    expect(await commit(high)).toBe("ROLLED_BACK")
    // A new claim is independent of the rollback before it, and of the old token.
    const cut = await claim(0, 24)
    expect(cut).toMatchObject({ id: straddling.id, range: { from: 10, to: 15 }, attempt: 1 })
    expect(await commit({ ...straddling, range: cut.range, chainEpoch: cut.chainEpoch })).toBe("LEASE_LOST")
    expect(await commit(cut)).toBe("done")
    expect(await commit(low)).toBe("done")
    const { coverage, leases: unfinished } = await testLedgers.raw.snapshot(store.raw)
    expect(coverage).toMatchObject([{ heights: [{ from: 0, to: 15 }] }])
    expect(unfinished).toEqual([])
  })

  test("in pieces, the highest first, leaves the same, and says how far it is", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers, twoDatabases: true })
    await store.deriveAll()
    await openRollback(store, 9)
    const finished: unknown[] = []
    const watch = new RollbackWatch({ clock: systemClock, onFinished: ({ blocks }) => finished.push(blocks) })
    const reports: unknown[] = []
    const report = watch.report.bind(watch)
    watch.report = (step, progress) => {
      reports.push([step, progress.done, progress.total])
      report(step, progress)
    }
    await finishRollback({ ...store, random: systemRandom, watch, pieceBlocks: 6 })
    expect(reports).toEqual([
      ...[0, 6, 12].map((done) => ["app", done, 15]),
      ...[0, 6, 12].map((done) => ["raw", done, 15]),
    ])
    expect(finished).toEqual([15])
    await expectRight()
  })

  test("names the damaged row of a state table, and goes on once it is folded again", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers })
    await store.deriveAll()
    const deps = { ...store, random: systemRandom, watch: new RollbackWatch({ clock: systemClock }) }
    await store.app.query("delete from app.address_stats")
    await openRollback(store, 9)
    await expect(finishRollback(deps)).rejects.toMatchObject({
      code: "FOLD_DAMAGED",
      message: expect.stringMatching(/app\.address_stats .* first \(address\) = \("\\\\x[0-9a-f]{40}"\)/),
    })
    expect(deps.watch.state()).toMatchObject({ failures: 1, error: { code: "FOLD_DAMAGED" } })
    const plan = [...store.registry.folds.values()].flat().find(({ table }) => table === "address_stats")!
    const findings: Finding[] = []
    for await (const finding of checkFold({ app: store.app, ledger: testLedgers.app }, plan, {
      limit: 1_000,
      keys: 1_000,
      heights: 1_000,
      signal: new AbortController().signal,
    }))
      findings.push(finding)
    await repairStore(deps, { plan: planRepair(findings), actor: "test" })
    expect(await finishRollback(deps)).toMatchObject({ from: 9 })
    await expectRight()
  })

  test("a rollback that was compared at an older epoch, or while another is open, is not begun", async () => {
    store = await openDeriveStore(blocks, { workers: [] })
    const openAt = (epoch: number, from: number): Promise<boolean> =>
      testLedgers.raw.openIntent(store.raw, {
        id: systemRandom.uuid(),
        from,
        ancestorHash: null,
        epoch,
        reason: "test",
      })
    expect(await openAt(0, 20)).toBe(true)
    expect(await openAt(0, 10)).toBe(false)
    expect(await finishRollback({ ...store, random: systemRandom })).toMatchObject({ epoch: 1, from: 20 })
    // None is open any more: only the epoch shows that the comparison is out of date.
    expect(await openAt(0, 12)).toBe(false)
    expect(await openAt(1, 12)).toBe(true)
    expect(await finishRollback({ ...store, random: systemRandom })).toMatchObject({ epoch: 2, from: 12 })
  })
})

describe.each(["raw", "app"] as const)("the step of a rollback in %s", (schema) => {
  test("waits for the commit under way, and keeps the next one out until it is done", async () => {
    // Two databases, each with a chain lock of its own: in one, the first step would wait for both.
    store = await openDeriveStore(blocks, { workers: [], twoDatabases: true })
    const database = store[schema]
    const leases = new PostgresLeaseStore({ executor: database, schema, random: systemRandom })
    await testLedgers[schema].register(database, "w")
    const claim = async () => {
      const lease = await leases.claim({
        ...{ worker: "w", holder: "test", order: "oldest", ttlMs: 60_000, dependencies: [] },
        ...{ regions: [{ from: 0, to: 10 }], rangeSize: 5, maxBlocks: 5 },
      })
      return lease!
    }
    const underWay = await claim()
    const next = await claim()
    // Above both ranges, so that only the lock separates them.
    await openRollback(store, 15)
    let committing: Promise<void> | undefined
    const beforeCommit: SqlExecutor = {
      query: (sql, params) => database.query(sql, params),
      transaction: (work, options) =>
        database.transaction(async (tx) => {
          const result = await work(tx)
          committing = leases.commit(next, { write: async () => undefined })
          expect(await doneOrWaits(database, committing)).toBe("waits")
          return result
        }, options),
    }
    let finishing: Promise<unknown> | undefined
    await leases.commit(underWay, {
      write: async () => undefined,
      apply: async () => {
        finishing = finishRollback({ ...store, [schema]: beforeCommit, random: systemRandom })
        expect(await doneOrWaits(database, finishing)).toBe("waits")
      },
    })
    expect(await finishing).toMatchObject({ from: 15 })
    await committing
  })
})

test("is ended by the server when its process hangs", async () => {
  store = await openDeriveStore(blocks, { workers: [], twoDatabases: true })
  await openRollback(store, 20)
  const timeouts: string[] = []
  const asking = (connection: Connection): SqlExecutor => ({
    query: (sql, params) => connection.query(sql, params),
    transaction: (work, options) =>
      connection.transaction(async (tx) => {
        const { rows } = await tx.query<{ timeout: string }>(
          "select current_setting('idle_in_transaction_session_timeout') as timeout",
        )
        timeouts.push(rows[0]!.timeout)
        return work(tx)
      }, options),
  })
  // A pool would set a limit on its own.
  const raw = await Connection.open({ url: store.rawUrl, applicationName: "test" })
  const app = await Connection.open({ url: store.appUrl, applicationName: "test" })
  await finishRollback({ ...store, raw: asking(raw), app: asking(app), random: systemRandom })
  expect(timeouts).toEqual(["10s", "10s"])
  await raw.end()
  await app.end()
})

test("a holder that is stopped in its open transaction is ended, and its keys are free", async () => {
  store = await openDeriveStore(blocks, { workers: [] })
  const stopped = await Connection.open({ url: store.rawUrl, applicationName: "test" })
  const { backend } = stopped
  const leases = new PostgresLeaseStore({ executor: stopped, schema: "raw", random: systemRandom, backend })
  const lease = await leases.claim({
    ...{ worker: rawIngester, holder: "test", order: "oldest", ttlMs: 60_000, dependencies: [] },
    ...{ regions: [{ from: 24, to: 30 }], rangeSize: 1_000, maxBlocks: 6 },
  })
  expect(lease?.range).toEqual({ from: 24, to: 30 })
  const key = "insert into raw.block_lookup (id, height, timestamp) values ('\\x01', 24, now())"
  await stopped.begin({})
  await stopped.query(key)
  await rollbackTo(store, 20)
  // No lease is left with which the reaper could find it.
  await store.raw.transaction((tx) => tx.query(key), { lockTimeoutMs: 60_000 })
  await expect(stopped.query("select 1")).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
})
