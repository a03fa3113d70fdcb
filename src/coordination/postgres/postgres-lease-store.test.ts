import { randomUUID } from "node:crypto"
import { afterAll, describe, expect, test } from "vitest"
import { describeLeaseStore, type LeaseStoreHarness } from "../../../test/conformance/lease-store.js"
import { startPrivatePostgres } from "../../../test/support/private-postgres.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { systemClock } from "../../platform/clock.js"
import { type Logger, silentLogger } from "../../platform/logger.js"
import { Connection } from "../../postgres/connection.js"
import { printRange } from "../../postgres/multirange.js"
import { sqlStateOf } from "../../postgres/postgres-error.js"
import { LeaseReaper } from "../lease-reaper.js"
import type { ClaimRequest, ReapOutcome } from "../lease-store.js"
import { chainLock, claimLockClass } from "./locks.js"
import { PostgresLeaseStore } from "./postgres-lease-store.js"

interface PostgresHarness extends LeaseStoreHarness<Connection> {
  readonly admin: Connection
  connect(): Promise<Connection>
}

// One database for all of them, emptied for each: what is tested are the statements.
let shared: Promise<TestDatabase> | undefined
afterAll(async () => (await shared)?.drop())

async function makeHarness(schema: "raw" | "app"): Promise<PostgresHarness> {
  shared ??= createTestDatabase()
  const database = await shared
  const connections: Connection[] = []
  const connect = async (): Promise<Connection> => {
    const connection = await Connection.open({ url: database.url, applicationName: "test" })
    connections.push(connection)
    return connection
  }
  const admin = await connect()
  await admin.query("create table if not exists rows_written (height int8 primary key)")
  await admin.query(
    `truncate rows_written, ${["worker_leases", "coverage", "rollbacks", "chain_state", "audit_log"].map((table) => `${schema}.${table}`).join(", ")}`,
  )
  await admin.query(
    `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)`,
  )
  return {
    admin,
    connect,
    register: (worker) => testLedgers[schema].register(admin, worker),
    snapshot: () => testLedgers[schema].snapshot(admin),
    open: async () =>
      new PostgresLeaseStore({ executor: await connect(), schema, random: seededRandom(connections.length) }),
    write: async (tx, range) => {
      await tx.query("insert into rows_written select * from generate_series($1::int8, $2::int8 - 1)", [
        range.from,
        range.to,
      ])
    },
    rows: async () => {
      const { rows } = await admin.query<{ height: string }>("select height from rows_written order by height")
      return rows.map(({ height }) => Number(height))
    },
    // The database's clock cannot be moved, but everything it is compared with can.
    advance: async (ms) => {
      await admin.query(
        `update ${schema}.worker_leases set lease_expires_at = lease_expires_at - $1::int4 * interval '1 ms',
           next_attempt_at = next_attempt_at - $1::int4 * interval '1 ms', completed_at = completed_at - $1::int4 * interval '1 ms'`,
        [ms],
      )
    },
    rollback: async (worker, removed) => {
      await admin.transaction(async (tx) => {
        await tx.query(`update ${schema}.chain_state set chain_epoch = chain_epoch + 1`)
        await tx.query(
          `insert into ${schema}.rollbacks (id, epoch, removed)
           select gen_random_uuid(), chain_epoch, $1::int8range from ${schema}.chain_state`,
          [printRange(removed)],
        )
        await tx.query(
          `update ${schema}.coverage set heights = heights - int8multirange($2::int8range) where worker_type = $1`,
          [worker, printRange(removed)],
        )
      })
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.end()))
    },
  }
}

describeLeaseStore("the lease store on Postgres, schema raw", () => makeHarness("raw"))
describeLeaseStore("the lease store on Postgres, schema app", () => makeHarness("app"))

const request = (over: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: "w",
  holder: "test",
  regions: [{ from: 0, to: 1_000 }],
  rangeSize: 10,
  maxBlocks: 10,
  order: "oldest",
  ttlMs: 30_000,
  dependencies: [],
  ...over,
})

/** Of a holder that is known by its backend. */
const ownStore = (executor: Connection, seed: number): PostgresLeaseStore<Connection> =>
  new PostgresLeaseStore({ executor, schema: "raw", random: seededRandom(seed), backend: executor.backend })

describe("the lease store on Postgres alone", () => {
  async function withHarness(
    body: (harness: PostgresHarness) => Promise<void>,
    schema: "raw" | "app" = "raw",
  ): Promise<void> {
    const harness = await makeHarness(schema)
    try {
      await harness.register("w")
      await body(harness)
    } finally {
      await harness.close()
    }
  }

  test("the database itself forbids overlap of unfinished work", async () => {
    for (const schema of ["raw", "app"] as const)
      await withHarness(async ({ admin }) => {
        const insert = (from: number, to: number, status: string) =>
          admin.query(
            `insert into ${schema}.worker_leases (worker_type, from_height, to_height, status, epoch, lease_ttl_ms)
             values ('w', $1, $2, $3, gen_random_uuid(), 1)`,
            [from, to, status],
          )
        await insert(0, 50, "ACTIVE")
        await insert(10, 20, "COMPLETED")
        await expect(insert(49, 60, "FAILED")).rejects.toMatchObject({ data: { sqlState: "23P01" } })
        await insert(50, 60, "DEAD")
      }, schema)
  })

  test("many claims at once give every height to exactly one holder", () =>
    withHarness(async (harness) => {
      const stores = await Promise.all(Array.from({ length: 10 }, () => harness.open()))
      const leases = await Promise.all(
        stores.map(async (store) => {
          const mine = []
          for (let i = 0; i < 10; i++) mine.push(await store.claim(request()))
          return mine
        }),
      )
      const heights = leases.flat().flatMap((lease) => Array.from({ length: 10 }, (_, i) => lease!.range.from + i))
      expect(heights.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
    }))

  test("a neighbour that commits in the middle of a claim does not make its range look free", () =>
    withHarness(async (harness) => {
      const neighbour = await harness.open()
      const held = (await neighbour.claim(request()))!
      const connection = await harness.connect()
      let committed = false
      const claiming = new PostgresLeaseStore({
        executor: {
          query: (sql, params) => connection.query(sql, params),
          transaction: (work, options) =>
            connection.transaction(
              (tx) =>
                work({
                  query: async (sql, params) => {
                    const result = await tx.query(sql, params)
                    if (!committed && sql.includes("coverage")) {
                      committed = true
                      await neighbour.commit(held, { write: (other) => harness.write(other, held.range) })
                    }
                    return result as never
                  },
                }),
              options,
            ),
        },
        schema: "raw",
        random: seededRandom(81),
      })
      expect((await claiming.claim(request()))!.range).toEqual({ from: 10, to: 20 })
    }))

  test("a lease that has another range by now is not completed, though its token is as it was", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const lease = (await store.claim(request()))!
      const commit = () => store.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
      // By hand: whatever changes a range gives the lease a new token, too.
      const setRange = (from: number, to: number) =>
        harness.admin.query("update raw.worker_leases set from_height = $1, to_height = $2", [from, to])
      for (const [from, to] of [
        [1, 10],
        [0, 9],
      ] as const) {
        await setRange(from, to)
        await expect(commit()).rejects.toMatchObject({ code: "LEASE_LOST" })
      }
      expect(await harness.rows()).toEqual([])
      await setRange(0, 10)
      await commit()
    }))

  test("a range that meets its own coverage is refused as a bug, and nothing is written", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const lease = (await store.claim(request()))!
      for (const column of ["heights", "skipped"]) {
        await harness.admin.query(`update raw.coverage set heights = '{}', skipped = '{}'`)
        await harness.admin.query(`update raw.coverage set ${column} = '{[9,10)}' where worker_type = 'w'`)
        const commit = store.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
        await expect(commit).rejects.toThrow("overlaps its own coverage")
        expect(await harness.rows()).toEqual([])
      }
    }))

  test("a holder whose backend is gone loses its lease at once, long before it expires", () =>
    withHarness(async (harness) => {
      const doomed = await harness.connect()
      const store = ownStore(doomed, 77)
      const lease = await store.claim(request())
      const reaper = await harness.open()
      expect((await reaper.reap()).expired).toBe(0)
      doomed.destroy()
      await expect.poll(async () => (await reaper.reap()).expired).toBe(1)
      expect((await harness.snapshot()).leases).toMatchObject([{ id: lease!.id, status: "FAILED", attempt: 1 }])
    }))

  test("a holder stopped in its open transaction is ended when its lease expires, and its keys are free", () =>
    withHarness(async (harness) => {
      const stopped = await harness.connect()
      const store = ownStore(stopped, 78)
      const lease = (await store.claim(request({ ttlMs: 300 })))!
      // Stopped after "lease still mine": it holds its unique keys, the chain lock and its lease row, and says no more.
      let resume = (): void => undefined
      const commit = store.commit(lease, {
        write: (tx) => harness.write(tx, lease.range),
        check: () =>
          new Promise((resolve) => {
            resume = resolve
          }),
      })
      const refused = expect(commit).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
      await expect.poll(async () => lockHeld(harness.admin)).toBe(true)
      const reaper = await harness.open()
      await expect.poll(async () => (await reaper.reap()).holdersEnded).toBe(1)
      await expect
        .poll(async () => {
          await reaper.reap()
          return (await harness.snapshot()).leases[0]?.status
        })
        .toBe("FAILED")
      await harness.advance(120_000)
      const successor = (await reaper.claim(request()))!
      await reaper.commit(successor, { write: (tx) => harness.write(tx, successor.range) })
      resume()
      await refused
      expect((await harness.rows()).length).toBe(10)
    }))

  test("a reaper that sees sessions but may not end them fails their leases, and reports it once", () =>
    withHarness(async (harness) => {
      const role = `reaper_${randomUUID().replaceAll("-", "")}`
      const { admin } = harness
      // It sees every session, and may end none of the role of the other connections.
      await admin.query(`create role ${role} in role pg_read_all_stats`)
      try {
        for (const grant of [
          "usage on schema raw",
          "all on all tables in schema raw",
          "all on all sequences in schema raw",
        ])
          await admin.query(`grant ${grant} to ${role}`)
        const reaping = await harness.connect()
        await reaping.query(`set role ${role}`)
        const leases = new PostgresLeaseStore({ executor: reaping, schema: "raw", random: seededRandom(86) })
        const warnings: unknown[] = []
        const logger: Logger = {
          ...silentLogger,
          warn: (fields) => void warnings.push(fields),
          child: () => logger,
        }
        const outcomes: ReapOutcome[] = []
        const onReaped = (outcome: ReapOutcome): void => void outcomes.push(outcome)
        const reaper = new LeaseReaper({ leases, onReaped, clock: systemClock, logger, intervalMs: 5_000 })
        for (const seed of [87, 88]) {
          const holding = await harness.connect()
          const store = ownStore(holding, seed)
          const lease = (await store.claim(request()))!
          await harness.advance(30_001)
          await reaper.runOnce()
          expect(outcomes.pop()).toMatchObject({ expired: 1, holdersEnded: 0, holdersLeft: 1 })
          expect(holding.closed).toBe(false)
          const late = store.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
          await expect(late).rejects.toMatchObject({ code: "LEASE_LOST" })
          await harness.advance(120_000)
        }
        expect(warnings).toMatchObject([{ code: "HOLDER_LEFT", sessions: 1 }])
        // A rollback that takes their heights goes on too.
        await ownStore(await harness.connect(), 89).claim(request())
        const cut = { workers: ["w"], removed: [{ from: 0, to: 1_000 }] }
        expect(await testLedgers.raw.cutLeases(reaping, cut)).toBeGreaterThan(0)
      } finally {
        await admin.query(`drop owned by ${role}`)
        await admin.query(`drop role ${role}`)
      }
    }))

  test("a lease that ends between the two steps of the reaper is not given away with its backend alive", () =>
    withHarness(async (harness) => {
      const connection = await harness.connect()
      const store = ownStore(connection, 83)
      await leaveExpired(harness)
      await store.claim(request({ ttlMs: 60_000 }))
      const reaper = reaperThatPauses(await harness.connect(), async () => {
        await harness.admin.query(
          "update raw.worker_leases set lease_expires_at = clock_timestamp() where lease_expires_at > clock_timestamp()",
        )
      })
      expect(await reaper.reap()).toMatchObject({ expired: 1, holdersEnded: 0 })
      const next = await harness.open()
      expect(await next.reap()).toMatchObject({ holdersEnded: 1 })
    }))

  test("a claim that commits between the two steps of the reaper, its time over, is not given away with its backend alive", () =>
    withHarness(async (harness) => {
      const connection = await harness.connect()
      const store = ownStore(connection, 85)
      await leaveExpired(harness)
      const reaper = reaperThatPauses(await harness.connect(), async () => {
        await store.claim(request())
        await harness.admin.query("update raw.worker_leases set lease_expires_at = '2000-01-01'")
      })
      expect(await reaper.reap()).toMatchObject({ expired: 2, holdersEnded: 0 })
      await expect.poll(() => connection.closed).toBe(true)
    }))

  test("a backend that went on to another range is left alone", () =>
    withHarness(async (harness) => {
      const connection = await harness.connect()
      const store = ownStore(connection, 79)
      await store.claim(request())
      await harness.advance(30_001)
      const second = (await store.claim(request()))!
      const reaper = await harness.open()
      expect(await reaper.reap()).toMatchObject({ expired: 1, holdersEnded: 0 })
      await store.commit(second, { write: (tx) => harness.write(tx, second.range) })
    }))

  test("the reaper does not wait for a commit that holds its lease row, not even an expired one", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const reaper = await harness.open()
      const lease = (await store.claim(request({ ttlMs: 1 })))!
      await store.commit(lease, {
        write: () => new Promise((resolve) => setTimeout(resolve, 20)),
        check: async () => {
          expect((await reaper.reap()).expired).toBe(0)
          expect(await reaper.renew([lease])).toEqual([])
        },
      })
    }))

  test("an operator's acts are audited", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const lease = (await store.claim(request()))!
      await store.release(lease, {
        cause: "failure",
        error: { code: "VERIFY_FAILED", message: "nul \0 inside" },
      })
      await store.retry({ actor: "ann", worker: "w", height: 3 })
      const { rows } = await harness.admin.query("select actor, action, details from raw.audit_log")
      expect(rows).toMatchObject([
        { actor: "ann", action: "retry", details: { worker_type: "w", from: "0", to: "10" } },
      ])
    }))

  test("rows that others change too are changed under the chain lock, new ones before it", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const lease = (await store.claim(request()))!
      const held = async (tx: Connection): Promise<string[]> => {
        const { rows } = await tx.query<{ mode: string }>(
          `select mode from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()
             and classid = $1 and objid = $2`,
          [...chainLock],
        )
        return rows.map(({ mode }) => mode)
      }
      await store.commit(lease, {
        write: async (tx) => expect(await held(tx)).toEqual([]),
        apply: async (tx) => expect(await held(tx)).toEqual(["ShareLock"]),
        check: async (tx) => expect(await held(tx)).toEqual(["ShareLock"]),
      })
    }))

  test("an open rollback intent refuses commits it reaches and no others", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const below = (await store.claim(request()))!
      const reached = (await store.claim(request()))!
      await harness.admin.query(
        "update raw.chain_state set intent_id = gen_random_uuid(), intent_epoch = 1, intent_removed = '[15,)'",
      )
      const commit = (lease: typeof below) => store.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
      await expect(commit(reached)).rejects.toMatchObject({ code: "ROLLBACK_OPEN" })
      await commit(below)
      expect((await harness.rows()).length).toBe(10)
    }))

  test("a lease lasts from its claim, not from the start of a transaction that had to wait", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      const blocker = await harness.connect()
      await blocker.begin()
      await blocker.query("select pg_advisory_xact_lock($1, hashtext('raw.w'))", [claimLockClass])
      const claiming = store.claim(request({ ttlMs: 1_000 }))
      await expect.poll(() => waitingForAdvisoryLock(harness.admin)).toBe(true)
      // Its transaction had begun before this, and its claim comes after.
      const { rows: asked } = await harness.admin.query<{ at: string }>("select clock_timestamp()::text as at")
      await blocker.commit()
      const lease = (await claiming)!
      const { rows } = await harness.admin.query(
        "select id, lease_expires_at >= $1::timestamptz + interval '1 s' as in_full from raw.worker_leases",
        [asked[0]!.at],
      )
      expect(rows).toEqual([{ id: lease.id, in_full: true }])
    }))

  test("a client stopped in the middle of a claim holds up the others only until the server ends it", () =>
    withHarness(async (harness) => {
      const stopped = await harness.connect()
      const isStopped = new Promise<void>((resolve) => {
        // Its first statement takes the worker's lock; then its client says nothing more.
        const stop = (): Promise<never> => {
          resolve()
          return never()
        }
        const frozen = new PostgresLeaseStore({
          executor: {
            query: (sql, params) => stopped.query(sql, params),
            transaction: (work, options) =>
              stopped.transaction(
                (tx) =>
                  work({
                    query: async (sql, params) => (sql.includes("advisory") ? tx.query(sql, params) : stop()),
                  }),
                options,
              ),
          },
          schema: "raw",
          random: seededRandom(80),
          idleInTransactionTimeoutMs: 300,
        })
        void frozen.claim(request()).catch(() => undefined)
      })
      await isStopped
      const store = await harness.open()
      // Whoever waited for it too long comes again.
      const claim = () =>
        store.claim(request()).then(
          (lease) => lease?.range,
          (error: unknown) => sqlStateOf(error),
        )
      await expect.poll(claim).toEqual({ from: 0, to: 10 })
    }))

  test("a rollback gets the chain lock in its turn, under a stream of commits that never pauses", () =>
    withHarness(async (harness) => {
      let stop = false
      const commits = Array.from({ length: 4 }, async () => {
        const connection = await harness.connect()
        while (!stop) {
          await connection.transaction(async (tx) => {
            await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
            await tx.query("select pg_sleep(0.03)")
          })
        }
      })
      const rollback = await harness.connect()
      await rollback.begin({ statementTimeoutMs: 60_000 })
      await rollback.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
      await rollback.rollback()
      stop = true
      await Promise.all(commits)
    }))

  test("200 failed blocks of a worker stop its history, and 200 dead ones stop nothing but themselves", () =>
    withHarness(async (harness) => {
      const { admin } = harness
      const store = await harness.open()
      const claim = (region: { from: number; to: number }) => {
        const size = { rangeSize: 100, maxBlocks: 64, order: "oldest", ttlMs: 10_000 } as const
        return store.claim({ worker: "w", holder: "h", regions: [region], dependencies: [], ...size })
      }
      await admin.query(
        `insert into raw.worker_leases (worker_type, from_height, to_height, status, epoch, lease_ttl_ms, next_attempt_at)
         select 'w', n, n + 1, 'FAILED', gen_random_uuid(), 1, now() + interval '1 hour' from generate_series(0, 199) n`,
      )
      expect(await claim({ from: 0, to: 10_000 })).toBeUndefined()
      expect((await claim({ from: 5_000, to: 5_064 }))?.range).toEqual({ from: 5_000, to: 5_064 })
      await admin.query("update raw.worker_leases set status = 'DEAD' where status = 'FAILED'")
      expect((await claim({ from: 0, to: 10_000 }))?.range).toEqual({ from: 200, to: 264 })
    }))

  test("a claim reads unfinished leases only, however many are finished", () =>
    withHarness(async ({ admin }) => {
      await admin.query(
        `insert into raw.worker_leases (worker_type, from_height, to_height, status, epoch, lease_ttl_ms, completed_at)
         select 'w', n * 10, n * 10 + 10, 'COMPLETED', gen_random_uuid(), 1, now() from generate_series(1, 20000) n`,
      )
      await admin.query("analyze raw.worker_leases")
      const { rows } = await admin.query<{ "QUERY PLAN": string }>(
        "explain select from_height from raw.worker_leases where worker_type = 'w' and status <> 'COMPLETED'",
      )
      expect(rows.map((row) => row["QUERY PLAN"]).join()).toContain("worker_leases_unfinished")
    }))

  test("a store restored from a backup goes on, and a holder from after the backup changes nothing", async () => {
    const server = await startPrivatePostgres()
    try {
      const { url, name } = await createTestDatabase({ server: server.url("postgres") })
      const admin = await Connection.open({ url: server.url("postgres"), applicationName: "test" })
      const open = async (database: string, seed: number) => {
        const executor = await Connection.open({ url: server.url(database), applicationName: "test" })
        return {
          executor,
          store: new PostgresLeaseStore({ executor, schema: "raw", random: seededRandom(seed) }),
        }
      }
      const setUp = await Connection.open({ url, applicationName: "test" })
      await setUp.query("create table rows_written (height int8 primary key)")
      await setUp.query(
        "insert into raw.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)",
      )
      await setUp.query("insert into raw.coverage (worker_type) values ('w')")
      await setUp.end()
      await admin.query(`create database backup template ${name}`)
      // Claimed after the backup was taken; then the backup takes the database's place.
      const lost = await open(name, 1)
      const late = (await lost.store.claim(request()))!
      await lost.executor.end()
      const restored = await open("backup", 2)
      const successor = (await restored.store.claim(request()))!
      expect(successor.id).toBe(late.id)
      const commit = (lease: typeof late) =>
        restored.store.commit(lease, {
          write: async (tx) => {
            await tx.query("insert into rows_written select * from generate_series($1::int8, $2::int8 - 1)", [
              lease.range.from,
              lease.range.to,
            ])
          },
        })
      await expect(commit(late)).rejects.toMatchObject({ code: "LEASE_LOST" })
      await commit(successor)
      const { rows } = await restored.executor.query("select height from rows_written")
      expect(rows.length).toBe(10)
      await restored.executor.end()
      await admin.end()
    } finally {
      await server.remove()
    }
  })

  test("a restart of the database takes every lease down and burns no attempt", async () => {
    const server = await startPrivatePostgres()
    try {
      const { url } = await createTestDatabase({ server: server.url("postgres") })
      const open = async () => {
        const executor = await Connection.open({ url, applicationName: "test" })
        return {
          executor,
          store: ownStore(executor, 5),
        }
      }
      const before = await open()
      await before.executor.query(
        "insert into raw.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)",
      )
      await testLedgers.raw.register(before.executor, "w")
      await before.store.claim(request())
      // A claim may be lost with the server; not one that something durable came after.
      await testLedgers.raw.register(before.executor, "another")
      await server.stop("immediate")
      await server.start()
      const after = await open()
      expect((await after.store.reap()).expired).toBe(1)
      expect((await testLedgers.raw.snapshot(after.executor)).leases).toMatchObject([{ status: "FAILED", attempt: 0 }])
      await after.executor.end()
    } finally {
      await server.remove()
    }
  })

  test("a rollback that commits while a writer waits for the chain lock is seen by that writer", () =>
    withHarness(async (harness) => {
      const store = await harness.open()
      await harness.register("up")
      const cover = () => harness.admin.query("update raw.coverage set heights = '{[0,10)}' where worker_type = 'up'")
      await cover()
      const lease = (await store.claim(request({ dependencies: ["up"] })))!
      const rollback = await harness.connect()
      for (const [code, step] of [
        ["NOT_COVERED", "update raw.coverage set heights = '{[0,5)}' where worker_type = 'up'"],
        ["ROLLED_BACK", "insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[5,)')"],
      ] as const) {
        await cover()
        await rollback.begin()
        await rollback.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
        const commit = store.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
        const refused = expect(commit).rejects.toMatchObject({ code })
        await expect.poll(() => waitingForAdvisoryLock(harness.admin)).toBe(true)
        await rollback.query(step)
        await rollback.commit()
        await refused
      }
      expect(await harness.rows()).toEqual([])
    }))
})

const never = (): Promise<never> => new Promise(() => undefined)

async function lockHeld(admin: Connection): Promise<boolean> {
  const { rows } = await admin.query(
    "select 1 from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2 and granted",
    [...chainLock],
  )
  return rows.length > 0
}

async function waitingForAdvisoryLock(admin: Connection): Promise<boolean> {
  const { rows } = await admin.query("select 1 from pg_locks where locktype = 'advisory' and not granted")
  return rows.length > 0
}

/** Without one the reaper has nothing to do, and its first look is its only one. */
async function leaveExpired(harness: PostgresHarness): Promise<void> {
  await (await harness.open()).claim(request())
  await harness.advance(30_001)
}

/** Lets something happen after it looked at backends, and before it looks at leases. */
function reaperThatPauses(reaping: Connection, between: () => Promise<void>): PostgresLeaseStore<Connection> {
  return new PostgresLeaseStore({
    executor: {
      query: async (sql, params) => {
        const result = await reaping.query(sql, params)
        if (sql.includes("end_backend")) await between()
        return result as never
      },
      transaction: (work, options) => reaping.transaction(work, options),
    },
    schema: "raw",
    random: seededRandom(84),
  })
}
