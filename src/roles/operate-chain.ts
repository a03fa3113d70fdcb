// Composes what operators act on from the two databases of a chain, for the CLI and for a process that serves.

import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import type { OperatedChain } from "../operations/operated-chain.js"
import type { Queryable } from "../postgres/transaction.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import { familyOf } from "./family-of.js"

export function operateChain<Store extends Pick<OperatedChain, "name" | "raw" | "app" | "random">>(
  store: Store,
): Store & OperatedChain {
  const { raw, app, random } = store
  return {
    ...store,
    leases: {
      raw: new PostgresLeaseStore<Queryable>({ executor: raw, schema: "raw", random }),
      app: new PostgresLeaseStore<Queryable>({ executor: app, schema: "app", random }),
    },
    ledgers: postgresLedgers({ random }),
    storedWorkers: new StoredRegistry(),
    family: familyOf(store),
  }
}
