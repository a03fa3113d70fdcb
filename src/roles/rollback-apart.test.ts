import { afterEach, beforeEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { openRollback } from "../../test/support/rollback-store.js"
import { chainLock } from "../coordination/postgres/locks.js"
import { systemRandom } from "../platform/random.js"
import { Connection, type ConnectionOptions } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import { finishRollback } from "../rollback/finish-rollback.js"
import type { RollbackDeps } from "../rollback/rollback-deps.js"
import { rollbackApart } from "./rollback-apart.js"

let store: DeriveStore
let app: Database
let other: Connection
let opened: string[]
let deps: RollbackDeps
beforeEach(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 5, from: 0, to: 6 }), { workers: [], twoDatabases: true })
  const { raw, rawUrl, appUrl } = store
  app = new Database({ url: appUrl, applicationName: "test", maxConnections: 1 })
  other = await Connection.open({ url: appUrl, applicationName: "other" })
  opened = []
  const connect = (options: ConnectionOptions): Promise<Connection> => {
    opened.push(options.url)
    return Connection.open(options)
  }
  const chain = { raw, app, databases: { rawUrl, appUrl }, settings: { dbTimeoutMs: 30_000 } as never, name: "test" }
  deps = { ...store, app, random: systemRandom, apart: rollbackApart(chain, connect) }
})
afterEach(async () => {
  await other.end()
  await app.end()
  await store.close()
})

test("a small rollback runs over the connections of the services, and a large one leaves them", async () => {
  await openRollback(store, 5)
  await finishRollback(deps)
  expect(opened).toEqual([])
  await store.raw.query("update raw.blocks set event_count = 10000 where height = 4")
  await openRollback(store, 4)
  // As a commit under way.
  await other.query("select pg_advisory_lock_shared($1, $2)", [...chainLock])
  const finishing = finishRollback(deps)
  await expect
    .poll(async () => {
      const { rows } = await app.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows.length
    })
    .toBe(1)
  expect((await app.query("select 1 as readable from app.chain_state")).rows).toEqual([{ readable: 1 }])
  await other.query("select pg_advisory_unlock_shared($1, $2)", [...chainLock])
  expect(await finishing).toMatchObject({ from: 4 })
  expect(opened).toEqual([store.appUrl, store.rawUrl])
})

test("a large one that another process carries out takes no connection", async () => {
  await store.raw.query("update raw.blocks set event_count = 10000 where height = 5")
  await openRollback(store, 5)
  await other.query("select pg_advisory_lock($1, $2)", [...chainLock])
  await expect(finishRollback(deps)).rejects.toMatchObject({ code: "DATABASE_CONFLICT" })
  expect(opened).toEqual([])
})
