// The connections over which the main thread renews leases, one to each database: their own, so that nothing that a service
// waits for delays a renewal. A silent one is given up in time for a second attempt within the lease.

import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { Database } from "../postgres/database.js"
import { renewalPoolSize } from "./connection-budget.js"
import type { OpenChain } from "./open-chain.js"

type Renew = PostgresLeaseStore<never>["renew"]

export interface Renewals {
  readonly raw: Renew
  readonly app: Renew
  readonly shortestTtlMs: number
  end(): Promise<void>
}

/** They connect when there is something to renew. */
export function openRenewals({ name, databases, settings, random }: OpenChain): Renewals {
  const shortestTtlMs = Math.min(settings.leaseTtlMs, settings.headLeaseTtlMs)
  const patienceMs = Math.min(5_000, Math.max(500, Math.floor(shortestTtlMs / 3)))
  const open = (url: string): Database =>
    new Database({
      url,
      applicationName: `tidemark ${name} renewal`,
      maxConnections: renewalPoolSize,
      connectTimeoutMs: patienceMs,
      answerTimeoutMs: patienceMs,
    })
  const raw = open(databases.rawUrl)
  const app = databases.appUrl === databases.rawUrl ? raw : open(databases.appUrl)
  const renewal = (executor: Database, schema: "raw" | "app"): Renew => {
    const leases = new PostgresLeaseStore({ executor, schema, random })
    return (tokens) => leases.renew(tokens)
  }
  return {
    raw: renewal(raw, "raw"),
    app: renewal(app, "app"),
    shortestTtlMs,
    end: async () => {
      await Promise.all([...new Set([raw, app])].map((database) => database.end()))
    },
  }
}
