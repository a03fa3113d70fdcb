// A claim that comes when all of a transaction is done but its commit: it waits until then, or goes through at once.

import type { Lease } from "../../src/coordination/lease-store.js"
import { PostgresLeaseStore } from "../../src/coordination/postgres/postgres-lease-store.js"
import { systemRandom } from "../../src/platform/random.js"
import type { Queryable, SqlExecutor } from "../../src/postgres/transaction.js"
import type { DeriveStore } from "./derive-store.js"
import { doneOrWaits } from "./done-or-waits.js"

export interface ClaimBeforeCommit {
  /** App, for the transaction that is come upon. */
  readonly executor: SqlExecutor<Queryable>
  readonly claimed: () => Promise<Lease | undefined>
}

export interface Claimant {
  readonly worker: string
  readonly dependencies: readonly string[]
  readonly to: number
}

export function claimBeforeCommit(store: DeriveStore, claimant: Claimant): ClaimBeforeCommit {
  let claiming: Promise<Lease | undefined> | undefined
  return {
    claimed: async () => claiming,
    executor: {
      query: (sql, params) => store.app.query(sql, params),
      transaction: (work, options) =>
        store.app.transaction(async (tx) => {
          const result = await work(tx)
          claiming = claimAll(store, claimant)
          await doneOrWaits(store.app, claiming)
          return result
        }, options),
    },
  }
}

export function claimAll(store: DeriveStore, { to, ...worker }: Claimant): Promise<Lease | undefined> {
  const leases = new PostgresLeaseStore({ executor: store.app, schema: "app", random: systemRandom })
  return leases.claim({
    ...{ ...worker, holder: "test", order: "oldest", ttlMs: 60_000 },
    ...{ regions: [{ from: 0, to }], rangeSize: 1_000, maxBlocks: to },
  })
}
