import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startCuttingProxy } from "../../test/support/cutting-proxy.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { backendStartText, Connection, type ConnectionOptions } from "./connection.js"
import { CopyBuffer } from "./copy-buffer.js"

function intRows(values: readonly number[]): Buffer {
  const buffer = new CopyBuffer()
  for (const value of values) {
    buffer.row(1)
    buffer.int4(value)
  }
  return buffer.take()
}

describe("Connection", () => {
  let test: TestDatabase
  let other: Connection
  const open = (options: Partial<ConnectionOptions> = {}) =>
    Connection.open({ url: test.url, applicationName: "test", ...options })
  beforeAll(async () => {
    test = await createTestDatabase({ empty: true })
    other = await open()
    await other.query("create table t (x int primary key)")
  })
  afterAll(async () => {
    await other.end()
    await test.drop()
  })

  const waitGone = async (pid: number) => {
    for (;;) {
      const { rows } = await other.query("select 1 from pg_stat_activity where pid = $1", [pid])
      if (rows.length === 0) return
    }
  }

  it("the backend is identified exactly by process id and start time, in any time zone", async () => {
    const connection = await open()
    await other.query("set time zone 'Asia/Kathmandu'")
    const { rows } = await other.query(
      `select pid, ${backendStartText} as "startedAt", backend_start = $2::timestamptz as same
       from pg_stat_activity where pid = $1`,
      [connection.backend.pid, connection.backend.startedAt],
    )
    await other.query("reset time zone")
    expect(rows).toEqual([{ ...connection.backend, same: true }])
    await connection.end()
  })

  it("a destroyed connection's transaction never commits, and its statements fail at once", async () => {
    const connection = await open()
    await connection.begin()
    await connection.query("insert into t values (1)")
    const late = connection.commit.bind(connection)
    connection.destroy()
    await expect(late()).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    expect(connection.closed).toBe(true)
    await waitGone(connection.backend.pid)
    expect((await other.query("select * from t")).rows).toEqual([])
  })

  it("destroying fails the running query", async () => {
    const connection = await open()
    const sleeping = connection.query("select pg_sleep(20)")
    setImmediate(() => connection.destroy())
    await expect(sleeping).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
  })

  it("a connection ended by the server while idle reports its close once", async () => {
    let closed = 0
    const gone = new Promise<void>((resolve) => {
      void open({
        onClose: () => {
          closed++
          resolve()
        },
      }).then((connection) => other.query("select pg_terminate_backend($1)", [connection.backend.pid]))
    })
    await gone
    expect(closed).toBe(1)
  })

  it("a connection ended by the server in mid-query or mid-copy is an outage", async () => {
    const one = await open()
    // Awaited from before the termination: the error may arrive before the answer to pg_terminate_backend.
    const ended = expect(one.query("select pg_sleep(20)")).rejects.toMatchObject({
      code: "DATABASE_UNREACHABLE",
      data: { sqlState: "57P01" },
    })
    await other.query("select pg_terminate_backend($1)", [one.backend.pid])
    await ended

    const two = await open()
    await two.begin()
    await other.query("begin; lock table t in access exclusive mode")
    const copying = expect(two.copyIn("t", ["x"], [intRows([9])])).rejects.toMatchObject({
      code: "DATABASE_UNREACHABLE",
    })
    await other.query("select pg_terminate_backend($1)", [two.backend.pid])
    await copying
    await other.rollback()
  })

  it("a connection that breaks silently is an outage, and a running commit is reported as unknown", async () => {
    const proxy = await startCuttingProxy(test.url)
    const one = await open({ url: proxy.url })
    const running = one.query("select pg_sleep(20)")
    proxy.cut()
    await expect(running).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE", data: {} })

    const two = await open({ url: proxy.url })
    await two.begin()
    await two.query("insert into t values (30)")
    const committing = two.commit()
    proxy.cut()
    await expect(committing).rejects.toMatchObject({
      code: "DATABASE_UNREACHABLE",
      data: { commitUnknown: true },
    })

    const three = await open({ url: proxy.url })
    const copying = three.copyIn("t", ["x"], [])
    proxy.cut()
    await expect(copying).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await proxy.close()
    await Promise.all([one, two, three].map((connection) => waitGone(connection.backend.pid)))
    await other.query("truncate t")
  })

  it("a rejected copy names the constraint, and the connection stays usable", async () => {
    const connection = await open()
    await expect(connection.copyIn("t", ["x"], [intRows([5, 5])])).rejects.toMatchObject({
      code: "DATABASE_ERROR",
      data: { sqlState: "23505", constraint: "t_pkey" },
    })
    const short = new CopyBuffer()
    short.row(2)
    short.int4(5)
    await expect(connection.copyIn("t", ["x"], [short.take()])).rejects.toMatchObject({
      data: { sqlState: "22P04" },
    })
    expect((await connection.query("select 1 as one")).rows).toEqual([{ one: 1 }])
    await connection.end()
  })

  it("a copy into several tables stores all of them, and nothing after a rejected one", async () => {
    const connection = await open()
    await connection.query("create temporary table a (x int4 primary key); create temporary table b (x int4)")
    const many = intRows(Array.from({ length: 200_000 }, (_, at) => at))
    const into = (table: string, ...buffers: Buffer[]) => ({ table, columns: ["x"], buffers })
    expect(await connection.copyInAll([into("a", intRows([1, 2])), into("b", many, intRows([7]))])).toEqual([
      2, 200_001,
    ])
    // More than the socket accepts at once is still unsent when the first row is rejected.
    const rejected = connection.copyInAll([
      into("a", intRows([3]), intRows([1])),
      into("b", ...Array.from({ length: 20 }, () => many)),
    ])
    const next = connection.copyInAll([into("a", intRows([4])), into("b", intRows([8]))])
    await expect(rejected).rejects.toMatchObject({ data: { sqlState: "23505" } })
    expect(await next).toEqual([1, 1])
    const { rows: counts } = await connection.query(
      "select (select array_agg(x order by x) from a) as a, (select count(*)::int4 from b) as b",
    )
    expect(counts).toEqual([{ a: [1, 2, 4], b: 200_002 }])
    await connection.end()
  })

  it("a transaction commits its work, or rolls it back when it throws", async () => {
    const connection = await open()
    await connection.transaction((tx) => tx.query("insert into t values (10)"))
    await expect(
      connection.transaction(async (tx) => {
        await tx.query("insert into t values (11)")
        throw new Error("no")
      }),
    ).rejects.toThrow("no")
    expect((await other.query("select x from t")).rows).toEqual([{ x: 10 }])
    await other.query("truncate t")
    await connection.end()
  })

  it("a commit that the server turned into a rollback is an error", async () => {
    const connection = await open()
    await connection.begin()
    await connection.query("insert into t values (20)")
    await connection.query("select 1 / 0").catch(() => undefined)
    await expect(connection.commit()).rejects.toMatchObject({ code: "DATABASE_ERROR" })
    expect((await connection.query("select x from t")).rows).toEqual([])
    await connection.end()
  })

  it("a transaction has the isolation and limits it was begun with, and they end with it", async () => {
    const connection = await open({ statementTimeoutMs: 2_000 })
    const settings = `select current_setting('transaction_isolation') as isolation,
      current_setting('transaction_read_only') as read_only,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('synchronous_commit') as flush`
    await connection.begin({
      isolation: "repeatable read",
      readOnly: true,
      idleInTransactionTimeoutMs: 7_000,
      unflushed: true,
    })
    expect((await connection.query(settings)).rows).toEqual([
      { isolation: "repeatable read", read_only: "on", idle: "7s", flush: "off" },
    ])
    await expect(connection.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "DATABASE_CONFLICT" })
    await connection.rollback()
    expect((await connection.query("show statement_timeout")).rows).toEqual([{ statement_timeout: "0" }])
    expect((await connection.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }])
    await connection.end()
  })

  it("named statements are prepared once and used again", async () => {
    const connection = await open()
    for (const x of [1, 2]) {
      const { rows } = await connection.query("select $1::int as x", [x], { name: "one" })
      expect(rows).toEqual([{ x }])
    }
    const { rows } = await connection.query("select name from pg_prepared_statements")
    expect(rows).toEqual([{ name: "one" }])
    await connection.end()
  })

  it("a server that is absent or never answers is unreachable, and is named without its password", async () => {
    const silent = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const { port } = silent.address() as AddressInfo
    const url = `postgres://me:hunter2@127.0.0.1:${port}/db`
    const slow = await open({ url, connectTimeoutMs: 100 }).catch((error: unknown) => error)
    await new Promise((resolve) => silent.close(resolve))
    const refused = await open({ url }).catch((error: unknown) => error)
    for (const error of [slow, refused]) {
      expect(error).toMatchObject({ code: "DATABASE_UNREACHABLE" })
      expect(String(error)).toContain(`127.0.0.1:${port}/db`)
      expect(JSON.stringify([String(error), error])).not.toContain("hunter2")
    }
    await expect(open({ url: "not-a-url:hunter2" })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.not.stringContaining("hunter2"),
    })
  })

  it("a wrong password is a DATABASE_ERROR, not an outage", async () => {
    const url = new URL(test.url)
    url.password = "hunter2"
    await expect(open({ url: url.href })).rejects.toMatchObject({
      code: "DATABASE_ERROR",
      data: { sqlState: "28P01" },
    })
  })
})
