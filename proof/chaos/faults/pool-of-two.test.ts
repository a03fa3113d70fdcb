import { afterEach, expect, test } from "vitest"
import { PostgresLeaseStore } from "../../../src/coordination/postgres/postgres-lease-store.js"
import { systemRandom } from "../../../src/platform/random.js"
import { Database } from "../../../src/postgres/database.js"
import { sqlStateOf } from "../../../src/postgres/postgres-error.js"
import { type DeriveStore, openDeriveStore } from "../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"

const tasks = 50
const blocks = 500
const connections = 2
const lockNotAvailable = "55P03"

/** Whoever waited too long for a lock comes again, as the services do. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (sqlStateOf(error) !== lockNotAvailable) throw error
    }
  }
}

let store: DeriveStore
let database: Database
afterEach(async () => {
  await database.end()
  await store.close()
})

test("fifty tasks and a reaper over two connections neither wait for each other for ever nor lose a lease", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 1, from: 0, to: 1 }), { workers: [] })
  const applicationName = "pool of two"
  database = new Database({
    ...{ url: store.appUrl, applicationName, maxConnections: connections, connectTimeoutMs: 300_000 },
  })
  const leases = new PostgresLeaseStore({ executor: database, schema: "app", random: systemRandom })
  await store.ledgers.app.register(database, "task")
  let isDone = false
  let [expired, most] = [0, 0]
  const reap = async (): Promise<void> => {
    while (!isDone) {
      expired += (await patiently(() => leases.reap())).expired
      const { rows } = await store.raw.query<{ n: number }>(
        "select count(*)::int4 as n from pg_stat_activity where application_name = $1",
        [applicationName],
      )
      most = Math.max(most, rows[0]!.n)
    }
  }
  const work = async (task: number): Promise<number> => {
    for (let done = 0; ; done++) {
      const lease = await patiently(() =>
        leases.claim({
          ...{
            worker: "task",
            dependencies: [],
            holder: `task ${task}`,
            order: "oldest",
            ttlMs: 600_000,
          },
          ...{ regions: [{ from: 0, to: blocks }], rangeSize: 1_000, maxBlocks: 5 },
        }),
      )
      if (!lease) return done
      expect(await leases.renew([lease])).toHaveLength(1)
      await leases.commit(lease, { write: async (tx) => void (await tx.query("select pg_sleep(0.002)")) })
    }
  }
  const reaping = reap()
  const done = await Promise.all(Array.from({ length: tasks }, (_, task) => work(task)))
  isDone = true
  await reaping
  expect(done.reduce((sum, ranges) => sum + ranges)).toBe(blocks / 5)
  expect({ expired, most }).toEqual({ expired: 0, most: connections })
  const { rows } = await store.app.query(
    "select heights::text as heights from app.coverage where worker_type = 'task'",
  )
  expect(rows).toEqual([{ heights: `{[0,${blocks})}` }])
})
