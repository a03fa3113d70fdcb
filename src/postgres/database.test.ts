import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { setImmediate as nextRound } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startCuttingProxy } from "../../test/support/cutting-proxy.js"
import { startHoldingProxy } from "../../test/support/holding-proxy.js"
import { startTcpProxy } from "../../test/support/tcp-proxy.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Database } from "./database.js"
import { isPoolExhausted } from "./postgres-error.js"

describe("Database", () => {
  let test: TestDatabase
  let database: Database
  beforeAll(async () => {
    test = await createTestDatabase({ empty: true })
    database = new Database({ url: test.url, applicationName: "test", maxConnections: 2 })
    await database.query("create table t (x int primary key)")
  })
  afterAll(async () => {
    await database.end()
    await database.end()
    await test.drop()
  })

  it("never exceeds its maximum of connections, and serves every waiting request", async () => {
    const pids = await Promise.all(
      Array.from({ length: 40 }, () =>
        database.query<{ pid: number }>("select pg_backend_pid() as pid, pg_sleep(0.005)"),
      ),
    )
    expect(new Set(pids.map((result) => result.rows[0]!.pid)).size).toBeLessThanOrEqual(2)
  })

  it("a request that gets no connection in time fails, and knows whether the others were in use or never came", async () => {
    const options = { applicationName: "test", maxConnections: 1, connectTimeoutMs: 3_000 }
    const narrow = new Database({ ...options, url: test.url })
    await narrow.transaction(async () => {
      const refused = narrow.query("select 1")
      await expect(refused).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE", data: { poolExhausted: true } })
    })
    await narrow.end()
    // It accepts connections, and never says a word.
    const silent = createServer(() => undefined).listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { port } = silent.address() as AddressInfo
    const away = new Database({ ...options, connectTimeoutMs: 100, url: `postgres://127.0.0.1:${port}/none` })
    const failures = await Promise.allSettled([away.query("select 1"), away.query("select 1")])
    for (const { reason } of failures as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: "DATABASE_UNREACHABLE" })
      expect(isPoolExhausted(reason)).toBe(false)
    }
    await away.end()
    silent.close()
  })

  it("a transaction commits, or stores nothing and leaves a clean connection", async () => {
    await database.transaction((tx) => tx.query("insert into t values (1)"))
    await expect(
      database.transaction(async (tx) => {
        await tx.query("insert into t values (2)")
        await tx.query("insert into t values (1)")
      }),
    ).rejects.toMatchObject({ code: "DATABASE_ERROR", data: { sqlState: "23505", constraint: "t_pkey" } })
    const own = new TypeError("mine")
    await expect(
      database.transaction(async (tx) => {
        await tx.query("insert into t values (3)")
        throw own
      }),
    ).rejects.toBe(own)
    const { rows } = await database.query("select x, pg_current_xact_id_if_assigned() as xid from t")
    expect(rows).toEqual([{ x: 1, xid: null }])
  })

  it("a transaction whose error was swallowed does not count as committed", async () => {
    await expect(
      database.transaction(async (tx) => {
        await tx.query("select 1 / 0").catch(() => undefined)
      }),
    ).rejects.toMatchObject({ code: "DATABASE_ERROR" })
  })

  it("limits hold inside the transaction and are gone after it", async () => {
    const one = new Database({ url: test.url, applicationName: "test", maxConnections: 1 })
    const show = `select current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('statement_timeout') as statement`
    await one.transaction(
      async (tx) => expect((await tx.query(show)).rows).toEqual([{ idle: "10s", statement: "1234ms" }]),
      { statementTimeoutMs: 1_234 },
    )
    expect((await one.query(show)).rows).toEqual([{ idle: "0", statement: "0" }])
    await one.end()
  })

  it("a transaction that only reads is one snapshot with its session's limits, and leaves a clean connection", async () => {
    const one = new Database({
      ...{ url: test.url, applicationName: "test", maxConnections: 1, readOnly: true, ownSessions: true },
      sessionLimits: { statementTimeoutMs: 1_234, idleInTransactionTimeoutMs: 4_321 },
    })
    const limits = { readOnly: true, isolation: "repeatable read", statementTimeoutMs: 1_234 } as const
    const count = "select count(*)::int4 as n, current_setting('statement_timeout') as statement from t"
    const seen = await one.transaction(async (tx) => {
      const first = await tx.query(count)
      await database.query("insert into t values (100)")
      return [...first.rows, ...(await tx.query(count, [], { isLast: true })).rows]
    }, limits)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toMatchObject({ statement: "1234ms" })
    // A new transaction on the same connection, after an end that nobody waited for.
    const { rows } = await one.transaction((tx) => tx.query(count), limits)
    expect(rows).toEqual([{ n: (seen[0]!["n"] as number) + 1, statement: "1234ms" }])
    for (const isLast of [false, true]) {
      const failed = one.transaction((tx) => tx.query("select 1 / 0", [], { isLast }), limits)
      await expect(failed).rejects.toMatchObject({ data: { sqlState: "22012" } })
      expect((await one.query("select pg_current_xact_id_if_assigned() as xid")).rows).toEqual([{ xid: null }])
    }
    const late = one.transaction(async (tx) => {
      await tx.query("select 1", [], { isLast: true })
      await tx.query("select 2")
    }, limits)
    await expect(late).rejects.toThrow("after the last of its transaction")
    await database.query("delete from t where x = 100")
    await one.end()
  })

  it("a transaction that only reads is sent in as many packets as it waits for answers", async () => {
    const packets: string[] = []
    const proxy = await startTcpProxy({
      target: () => Number(new URL(test.url).port),
      send: (client, upstream) => {
        client.on("data", (chunk: Buffer) => {
          packets.push(chunk.toString("latin1"))
          upstream.write(chunk)
        })
      },
    })
    const far = new Database({ url: proxy.way(test.url), applicationName: "test", maxConnections: 1 })
    await far.query("select 1")
    packets.length = 0
    await far.transaction(
      async (tx) => {
        await tx.query("select 2")
        await tx.query("select 3", [], { isLast: true })
      },
      { readOnly: true },
    )
    expect(packets.length).toBe(2)
    await far.transaction(async () => undefined, { readOnly: true })
    expect(packets.length).toBe(2)
    await far.end()
    await proxy.close()
  })

  it("a single statement that only reads needs no BEGIN where the session has all that it would set", async () => {
    const limits = { statementTimeoutMs: 5_000, idleInTransactionTimeoutMs: 10_000 }
    const sessions = { maxConnections: 1, readOnly: true, ownSessions: true, sessionLimits: limits, fixedPlans: true }
    const reader = new Database({ url: test.url, applicationName: "test", ...sessions })
    const settings = `select current_setting('plan_cache_mode') as plans, current_setting('enable_sort') as sort,
      current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as reads`
    const options = { ...limits, readOnly: true, isolation: "repeatable read", fixedPlans: true } as const
    const read = async (over: object, isLast: boolean) => {
      const { rows } = await reader.transaction((tx) => tx.query(settings, [], { isLast }), { ...options, ...over })
      return rows[0]
    }
    const fixed = { plans: "force_generic_plan", sort: "off", reads: "on" }
    expect(await read({}, true)).toEqual({ ...fixed, isolation: "read committed" })
    expect(await read({}, false)).toEqual({ ...fixed, isolation: "repeatable read" })
    const usual = { plans: "auto", sort: "on", reads: "on", isolation: "repeatable read" }
    expect(await read({ fixedPlans: false }, true)).toEqual(usual)
    expect(await read({ statementTimeoutMs: 1_000 }, true)).toEqual({ ...fixed, isolation: "repeatable read" })
    const slow = reader.transaction((tx) => tx.query("select 1 / 0", [], { isLast: true }), options)
    await expect(slow).rejects.toMatchObject({ data: { sqlState: "22012" } })
    expect(await read({}, true)).toMatchObject(fixed)
    await reader.end()
  })

  it("losing the connection in a transaction is an outage, and the next one works", async () => {
    const lost = database.transaction(async (tx) => {
      const { rows } = await tx.query<{ pid: number }>("select pg_backend_pid() as pid")
      await database.query("select pg_terminate_backend($1)", [rows[0]!.pid])
      await tx.query("select 1")
    })
    await expect(lost).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }])
  })

  it("a connection that breaks silently is an outage, and a running commit is reported as unknown", async () => {
    const proxy = await startCuttingProxy(test.url)
    const far = new Database({ url: proxy.url, applicationName: "cut", maxConnections: 1 })
    await far.query("select 1")
    const running = far.query("select pg_sleep(20)")
    setImmediate(() => proxy.cut())
    await expect(running).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE", data: {} })
    const committing = far.transaction(async (tx) => {
      await tx.query("create temp table held (x int)")
      await tx.query(`create function pg_temp.hold() returns trigger language plpgsql
        as 'begin perform pg_sleep(20); return null; end'`)
      await tx.query(`create constraint trigger hold after insert on held deferrable initially deferred
        for each row execute function pg_temp.hold()`)
      await tx.query("insert into held values (1)")
    })
    await expect
      .poll(
        async () =>
          // By its name, since commits of other tests run on the same server.
          (
            await database.query(`select 1 from pg_stat_activity
            where application_name = 'cut' and query = 'commit' and state = 'active'`)
          ).rows.length,
      )
      .toBe(1)
    proxy.cut()
    await expect(committing).rejects.toMatchObject({
      code: "DATABASE_UNREACHABLE",
      data: { commitUnknown: true },
    })
    expect((await far.query("select 1 as one")).rows).toEqual([{ one: 1 }])
    await far.end()
    await proxy.close()
  })

  it("a connection lost in the packet that made it ready is an outage, and does not end the process", async () => {
    const proxy = await startHoldingProxy(Number(new URL(test.url).port))
    const far = new Database({ url: proxy.way(test.url), applicationName: "held", maxConnections: 1 })
    const asked = far.query("select 1")
    asked.catch(() => undefined)
    await proxy.held
    await database.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'held'")
    await expect(asked).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await far.end()
    await proxy.close()
  })

  it("idle connections ended by the server are replaced without an error", async () => {
    await Promise.all([database.query("select pg_sleep(0.05)"), database.query("select pg_sleep(0.05)")])
    const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    await database.query(`select pg_terminate_backend(pid) ${others}`)
    await waitUntil(async () => (await database.query(`select 1 ${others}`)).rows.length === 0, {
      what: "the other backends are gone",
    })
    // What they sent before they ended has arrived; the client reads it in this round of the event loop.
    await nextRound()
    for (let i = 0; i < 5; i++) expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }])
  })

  it("serialization failures are conflicts", async () => {
    await database.query("insert into t values (50)")
    const clash = database.transaction(
      async (tx) => {
        await tx.query("select x from t")
        await database.query("update t set x = 51 where x = 50")
        await tx.query("update t set x = 52 where x = 50")
      },
      { isolation: "repeatable read" },
    )
    await expect(clash).rejects.toMatchObject({ code: "DATABASE_CONFLICT", data: { sqlState: "40001" } })
  })
})
