import pg from "pg"
import { expect, inject, it } from "vitest"
import { startCommitEatingProxy } from "./commit-eating-proxy.js"
import { createTestDatabase } from "./test-database.js"

it("what was committed is stored, and whoever committed it does not learn so", async () => {
  const { url } = await createTestDatabase({ empty: true })
  const proxy = await startCommitEatingProxy({ port: Number(new URL(inject("postgresUrl")).port) })
  const through = new pg.Client({ connectionString: proxy.way(url) })
  through.on("error", () => undefined)
  await through.connect()
  await through.query("create table t (n int)")
  proxy.eats = () => true
  await through.query("begin")
  await through.query("insert into t values (1)")
  await expect(through.query("commit")).rejects.toThrow("Connection terminated")
  await proxy.close()
  expect(proxy.eaten).toEqual({ ingest: 0, derive: 0, claim: 0, other: 1 })
  const straight = new pg.Client({ connectionString: url })
  await straight.connect()
  expect((await straight.query("select n from t")).rows).toEqual([{ n: 1 }])
  await straight.end()
})
