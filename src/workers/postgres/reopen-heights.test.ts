import { afterEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import type { Lease } from "../../coordination/lease-store.js"
import { PostgresLeaseStore } from "../../coordination/postgres/postgres-lease-store.js"
import { builtInWorkers } from "../../indexes/built-in-workers.js"
import { systemRandom } from "../../platform/random.js"
import type { SqlExecutor } from "../../postgres/sql-executor.js"
import type { Queryable } from "../../postgres/transaction.js"
import { reopenHeights } from "./reopen-heights.js"

const upstream = "token_worker"
const dependent = "ft_holdings_worker"
let store: DeriveStore
afterEach(() => store.close())

async function openWithClaim(): Promise<{ leases: PostgresLeaseStore<never>; lease: Lease }> {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 12 }), { workers: builtInWorkers })
  await store.deriveAll({ workers: [upstream] })
  const lease = await claim()
  return { leases: leasesOf() as never, lease: lease! }
}

const leasesOf = () => new PostgresLeaseStore({ executor: store.app, schema: "app", random: systemRandom })

const claim = () =>
  leasesOf().claim({
    ...{ workerType: dependent, dependencies: [upstream], holder: "test", order: "oldest", ttlMs: 60_000 },
    ...{ regions: [{ from: 0, to: 12 }], rangeSize: 1_000, maxBlocks: 12 },
  })

async function somebodyWaits(): Promise<boolean> {
  const { rows } = await store.raw.query("select 1 from pg_locks where not granted and locktype = 'advisory'")
  return rows.length > 0
}

const reopen = (executor: SqlExecutor<Queryable> = store.app) =>
  reopenHeights(
    { executor, random: systemRandom },
    { worker: upstream, heights: [{ from: 5, to: 6 }], actor: "test", action: "rederive" },
  )

async function covered(worker: string): Promise<string> {
  const { rows } = await store.app.query<{ heights: string }>(
    "select heights::text as heights from app.coverage where worker_type = $1",
    [worker],
  )
  return rows[0]!.heights
}

test("whoever has read the old rows cannot commit them after they were given back", async () => {
  const { leases, lease } = await openWithClaim()
  expect(await reopen()).toBe(true)
  await store.deriveAll({ workers: [upstream] })
  // What it depends on covers its range again: nothing but the token tells that its rows are others now.
  expect(await covered(upstream)).toBe("{[0,12)}")
  await expect(leases.commit(lease, { write: async () => undefined })).rejects.toMatchObject({
    code: "LEASE_LOST",
  })
  expect(await covered(dependent)).toBe("{}")
})

test("a claim that comes while heights are given back waits, and finds them gone", async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 12 }), { workers: builtInWorkers })
  await store.deriveAll({ workers: [upstream] })
  let claiming: Promise<Lease | undefined> | undefined
  // All is done but the commit.
  const executor: SqlExecutor<Queryable> = {
    query: (sql, params) => store.app.query(sql, params),
    transaction: (work, options) =>
      store.app.transaction(async (tx) => {
        const result = await work(tx)
        claiming = claim()
        await Promise.race([claiming, waitUntil(somebodyWaits, { what: "the claim that waits" })])
        return result
      }, options),
  }
  expect(await reopen(executor)).toBe(true)
  expect((await claiming)?.range).toEqual({ from: 0, to: 5 })
})

test("heights are given back once the commits under way have ended", async () => {
  const { leases, lease } = await openWithClaim()
  let reopening: Promise<boolean> | undefined
  await leases.commit(lease, {
    write: async () => undefined,
    apply: async () => {
      reopening = reopen()
      await Promise.race([reopening, waitUntil(somebodyWaits, { what: "the act that waits" })])
    },
  })
  expect(await reopening).toBe(true)
  expect(await covered(dependent)).toBe("{[0,5),[6,12)}")
})
