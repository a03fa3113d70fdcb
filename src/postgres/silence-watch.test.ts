import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type SilentProxy, startSilentProxy } from "../../test/support/silent-proxy.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Connection, type ConnectionOptions } from "./connection.js"
import { CopyBuffer } from "./copy-buffer.js"
import { Database, type DatabaseOptions } from "./database.js"
import { serverAnswers } from "./server-answers.js"

const answerTimeoutMs = 400
let created: TestDatabase
let proxy: SilentProxy
const ending: (() => Promise<void>)[] = []

beforeEach(async () => {
  created = await createTestDatabase({ empty: true })
  proxy = await startSilentProxy(Number(new URL(created.url).port))
})
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
  await proxy.close()
  await created.drop()
})

const open = (options: Partial<ConnectionOptions> = {}): Promise<Connection> =>
  Connection.open({ url: proxy.way(created.url), applicationName: "test", answerTimeoutMs, ...options })

const pool = (options: Partial<DatabaseOptions> = {}): Database => {
  const database = new Database({
    ...{ url: proxy.way(created.url), applicationName: "test", maxConnections: 1, answerTimeoutMs, ...options },
  })
  ending.push(() => database.end())
  return database
}

const unreachable = { code: "DATABASE_UNREACHABLE", data: { systemCode: "ETIMEDOUT" } }

describe("a database that falls silent", () => {
  test("fails the statement that waits for it, and closes its connection", async () => {
    const connection = await open()
    await connection.query("select 1")
    proxy.fallSilent()
    await expect(connection.query("select 1")).rejects.toMatchObject(unreachable)
    expect(connection.closed).toBe(true)
  })

  test("fails a commit, whose outcome is then unknown", async () => {
    const connection = await open()
    await connection.begin()
    proxy.fallSilent()
    await expect(connection.commit()).rejects.toMatchObject({ ...unreachable, data: { commitUnknown: true } })
  })

  test("fails a COPY in either direction", async () => {
    const connections = [await open(), await open()]
    await connections[0]!.query("create table t (x int)")
    proxy.fallSilent()
    const rows = new CopyBuffer()
    rows.row(1)
    rows.int4(1)
    await expect(connections[0]!.copyIn("t", ["x"], [rows.take()])).rejects.toMatchObject(unreachable)
    await expect(connections[1]!.copyOut("select 1", { fields: 1 })).rejects.toMatchObject(unreachable)
  })

  test("fails the statements and transactions of a pool, which then serves by another connection", async () => {
    const database = pool({ connectTimeoutMs: 300 })
    await database.query("select 1")
    proxy.fallSilent()
    await expect(database.query("select 1")).rejects.toMatchObject(unreachable)
    await expect(database.query("select 1")).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    proxy.leadTo(Number(new URL(created.url).port))
    await database.transaction((tx) => tx.query("select 1"))
  })

  test("does not keep a connection or a pool from being closed", async () => {
    const connection = await open()
    const database = pool()
    await database.query("select 1")
    proxy.fallSilent()
    await Promise.all([connection.end(), database.end()])
  })

  test("fails a connection attempt", async () => {
    proxy.fallSilent()
    await expect(open({ connectTimeoutMs: 300 })).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
  })

  test("fails a statement that may take long as well, since the address does not answer either", async () => {
    const connection = await open({ longestStatementMs: 3_600_000 })
    const statement = connection.query("select pg_sleep(3600)")
    proxy.fallSilent()
    expect(await serverAnswers(proxy.way(created.url), 200)).toBe(false)
    await expect(statement).rejects.toMatchObject(unreachable)
  })
})

describe("a statement that takes long", () => {
  test("is waited for where it may, while the address answers", async () => {
    const connection = await open({ longestStatementMs: 60_000 })
    await connection.query(`select pg_sleep(${(3 * answerTimeoutMs) / 1_000})`)
    await connection.end()
  })

  test("is waited for as long as its transaction allows, and the next is not", async () => {
    const database = pool()
    const slow = `select pg_sleep(${(3 * answerTimeoutMs) / 1_000})`
    await database.transaction((tx) => tx.query(slow), { statementTimeoutMs: 60_000 })
    const connection = await open()
    await connection.transaction((tx) => tx.query(slow), { statementTimeoutMs: 60_000 })
    await expect(database.query(slow)).rejects.toMatchObject(unreachable)
    await expect(connection.query(slow)).rejects.toMatchObject(unreachable)
  })

  test("may send its rows for longer than that, one after the other", async () => {
    // Rows come every 20 ms. No machine is so busy that none comes for two seconds.
    const connection = await open({ answerTimeoutMs: 2_000 })
    const rows = await connection.copyOut(
      "select x, pg_sleep(0.02)::text, repeat('x', 1000) from generate_series(1, 150) as x",
      { fields: 3 },
    )
    expect(rows).toBeDefined()
    await connection.end()
  })
})

describe("an idle connection", () => {
  const timeoutMs = 10_000
  /** What the server sees of the sessions that go through the proxy. */
  const sessions = async (): Promise<readonly { query: string }[]> => {
    const direct = await Connection.open({ url: created.url, applicationName: "test of silence" })
    try {
      const answer = await direct.query<{ query: string }>(
        "select query from pg_stat_activity where datname = current_database() and application_name = 'test'",
      )
      return answer.rows
    } finally {
      await direct.end()
    }
  }

  test("of a silent database is closed before a statement has to wait for it", async () => {
    const connection = await open()
    const database = pool()
    await database.query("select 1")
    expect(await sessions()).toHaveLength(2)
    proxy.fallSilent()
    await waitUntil(() => connection.closed, { what: "the connection closed", timeoutMs })
    await waitUntil(async () => (await sessions()).length === 0, { what: "the pool's session closed", timeoutMs })
    proxy.leadTo(Number(new URL(created.url).port))
    await database.query("select 1")
  })

  test("of a database that answers is kept", async () => {
    const connection = await open()
    await connection.query("select 2")
    const asked = async (): Promise<boolean> => (await sessions())[0]!.query === "select 1"
    for (let i = 0; i < 2; i++) {
      await waitUntil(asked, { what: "a question", timeoutMs })
      await connection.query("select 2")
    }
    await connection.end()
  })

  test("is left alone in a transaction, which the server ends when it is idle for too long", async () => {
    const connection = await open()
    await connection.begin({ idleInTransactionTimeoutMs: 3 * answerTimeoutMs })
    await waitUntil(() => connection.closed, { what: "the session ended by the server", timeoutMs })
  })
})
