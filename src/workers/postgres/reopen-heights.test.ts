import { afterEach, expect, test } from "vitest"
import { type Claimant, claimAll, claimBeforeCommit } from "../../../test/support/claim-before-commit.js"
import { type DeriveStore, openDeriveStore } from "../../../test/support/derive-store.js"
import { doneOrWaits } from "../../../test/support/done-or-waits.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import type { Lease } from "../../coordination/lease-store.js"
import { PostgresLeaseStore } from "../../coordination/postgres/postgres-lease-store.js"
import { builtInWorkers } from "../../families/evm/indexes/built-in-workers.js"
import { systemRandom } from "../../platform/random.js"
import type { SqlExecutor } from "../../postgres/transaction.js"
import { reopenHeights } from "./reopen-heights.js"

const upstream = "token_worker"
const dependent = "ft_holdings_worker"
let store: DeriveStore
afterEach(() => store.close())

async function openWithClaim(): Promise<{ leases: PostgresLeaseStore<never>; lease: Lease }> {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 12 }), { workers: builtInWorkers })
  await store.deriveAll({ workers: [upstream] })
  const lease = await claimAll(store, claimant)
  return { leases: leasesOf() as never, lease: lease! }
}

const leasesOf = () => new PostgresLeaseStore({ executor: store.app, schema: "app", random: systemRandom })

const claimant: Claimant = { worker: dependent, dependencies: [upstream], to: 12 }

const reopen = (executor: SqlExecutor = store.app) =>
  reopenHeights(
    { ...store, app: executor },
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
  const { executor, claimed } = claimBeforeCommit(store, claimant)
  expect(await reopen(executor)).toBe(true)
  expect((await claimed())?.range).toEqual({ from: 0, to: 5 })
})

test("heights are given back once the commits under way have ended", async () => {
  const { leases, lease } = await openWithClaim()
  let reopening: Promise<boolean> | undefined
  await leases.commit(lease, {
    write: async () => undefined,
    apply: async () => {
      reopening = reopen()
      await doneOrWaits(store.app, reopening)
    },
  })
  expect(await reopening).toBe(true)
  expect(await covered(dependent)).toBe("{[0,5),[6,12)}")
})
