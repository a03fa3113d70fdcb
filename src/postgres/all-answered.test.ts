import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { allAnswered } from "./all-answered.js"
import { Connection } from "./connection.js"
import { Database } from "./database.js"
import type { SqlExecutor } from "./transaction.js"

describe.each(["a pool", "a connection"] as const)("statements sent without waiting, over %s,", (over) => {
  let test: TestDatabase
  let executor: SqlExecutor & { end(): Promise<void> }
  beforeAll(async () => {
    test = await createTestDatabase({ empty: true })
    const options = { url: test.url, applicationName: "test", maxConnections: 1 }
    executor = over === "a pool" ? new Database(options) : await Connection.open(options)
    await executor.query("create table t (x int primary key, at int generated always as identity)")
  })
  afterAll(async () => {
    await executor.end()
    await test.drop()
  })

  const stored = async () => (await executor.query("select x from t order by at")).rows.map(({ x }) => x)

  it("run in the order of the calls, and each gets its own answer", async () => {
    const numbers = [3, 1, 2, 5, 4]
    const answers = await executor.transaction((tx) =>
      allAnswered(
        numbers.map((x) =>
          tx.query("insert into t values ($1) returning x, (select count(*)::int from t) as before", [x]),
        ),
      ),
    )
    expect(answers.map(({ rows }) => rows[0])).toEqual(numbers.map((x, before) => ({ x, before })))
    expect(await stored()).toEqual(numbers)
  })

  it("fail with the first error, store nothing, and leave the connection usable", async () => {
    const before = await stored()
    const failing = executor.transaction((tx) =>
      allAnswered([
        tx.query("insert into t values (10)"),
        tx.query("insert into t values (3)"),
        tx.query("insert into t values (11)"),
        tx.query("insert into nowhere values (12)"),
      ]),
    )
    await expect(failing).rejects.toMatchObject({ data: { sqlState: "23505" } })
    expect(await stored()).toEqual(before)
  })

  it("are all answered before an error is thrown", async () => {
    let answered = 0
    const count = async (answer: Promise<unknown>) => answer.finally(() => answered++)
    await executor
      .transaction((tx) =>
        allAnswered([
          count(tx.query("select 1 / 0")),
          count(tx.query("select 1")),
          count(tx.query("select pg_sleep(0.05)")),
        ]).catch(() => undefined),
      )
      .catch(() => undefined)
    expect(answered).toBe(3)
  })

  it("all fail when the connection is lost, and nothing is stored", async () => {
    const before = await stored()
    const failing = executor.transaction((tx) =>
      allAnswered([
        tx.query("insert into t values (20)"),
        tx.query("select pg_terminate_backend(pg_backend_pid())"),
        tx.query("insert into t values (21)"),
      ]),
    )
    await expect(failing).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    const other = await Connection.open({ url: test.url, applicationName: "test" })
    expect((await other.query("select x from t order by at")).rows.map(({ x }) => x)).toEqual(before)
    await other.end()
  })
})
