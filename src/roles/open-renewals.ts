// The connection over which the main thread renews the leases of one database: its own, so that nothing that a service waits
// for delays a renewal. A silent one is given up in time for a second attempt within the lease.

import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { Database } from "../postgres/database.js"
import { renewalPoolSize } from "./connection-budget.js"
import type { OpenChain } from "./open-chain.js"

export interface Renewals {
  readonly renew: PostgresLeaseStore<never>["renew"]
  readonly shortestTtlMs: number
  end(): Promise<void>
}

export function openRenewals({ name, databases, settings, random }: OpenChain, schema: "raw" | "app"): Renewals {
  const shortestTtlMs = Math.min(settings.leaseTtlMs, settings.headLeaseTtlMs)
  const patienceMs = Math.min(5_000, Math.max(500, Math.floor(shortestTtlMs / 3)))
  const database = new Database({
    url: schema === "raw" ? databases.rawUrl : databases.appUrl,
    applicationName: `tidemark ${name} renewal`,
    maxConnections: renewalPoolSize,
    connectTimeoutMs: patienceMs,
    answerTimeoutMs: patienceMs,
  })
  const leases = new PostgresLeaseStore({ executor: database, schema, random })
  return { renew: (tokens) => leases.renew(tokens), shortestTtlMs, end: () => database.end() }
}
