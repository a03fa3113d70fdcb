import { afterEach, beforeEach, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import { Connection } from "../../postgres/connection.js"
import { WorkerRegistry } from "../worker-registry.js"
import { PostgresDerivedStore, tipApplicationName } from "./postgres-derived-store.js"

const store = new PostgresDerivedStore(new WorkerRegistry([]))
let database: TestDatabase
let history: Connection
let watcher: Connection
const opened: Connection[] = []

const open = async (applicationName: string): Promise<Connection> => {
  const connection = await Connection.open({ url: database.url, applicationName })
  opened.push(connection)
  return connection
}

beforeEach(async () => {
  database = await createTestDatabase()
  history = await open("tidemark demo work")
  watcher = await open("test")
  await watcher.query("create table app.hot (id int4 primary key, n int8 not null)")
  await watcher.query("insert into app.hot (id, n) values (1, 0)")
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.end()))
  await database.drop()
})

/** Asks while another session waits for a row that this one has locked. */
async function askBeside(applicationName: string): Promise<boolean> {
  const other = await open(applicationName)
  await history.begin()
  await history.query("update app.hot set n = n + 1 where id = 1")
  const waiting = other.query("update app.hot set n = n + 1 where id = 1")
  await waitUntil(
    async () => {
      const { rows } = await watcher.query<{ n: number }>(
        "select count(*)::int4 as n from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'",
        [applicationName],
      )
      return rows[0]!.n === 1
    },
    { what: "the other session to wait" },
  )
  const answer = await store.holdsUpTip(history)
  await history.commit()
  await waiting
  return answer
}

test("a transaction sees that a session of the tip waits for it", async () => {
  expect(await askBeside(`${tipApplicationName} demo`)).toBe(true)
})

test("sessions that are not the tip's may wait", async () => {
  expect(await askBeside("tidemark other work")).toBe(false)
})

test("nobody waits for a transaction that has locked nothing others want", async () => {
  await open(`${tipApplicationName} demo`)
  await history.begin()
  expect(await store.holdsUpTip(history)).toBe(false)
  await history.commit()
})
