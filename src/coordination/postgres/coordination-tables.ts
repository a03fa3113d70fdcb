// The coordination tables of one schema ("raw" or "app"), quoted once, and the advisory locks of a chain.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"

export type CoordinationSchema = "raw" | "app"

export interface CoordinationTables {
  readonly schema: CoordinationSchema
  readonly leases: string
  readonly coverage: string
  readonly chainState: string
  readonly rollbacks: string
  readonly auditLog: string
}

function tablesOf(schema: CoordinationSchema): CoordinationTables {
  const table = (name: string): string => quoteIdentifier(schema, name)
  return {
    schema,
    leases: table("worker_leases"),
    coverage: table("coverage"),
    chainState: table("chain_state"),
    rollbacks: table("rollbacks"),
    auditLog: table("audit_log"),
  }
}

const known: Record<CoordinationSchema, CoordinationTables> = { raw: tablesOf("raw"), app: tablesOf("app") }

export const coordinationTables = (schema: CoordinationSchema): CoordinationTables => known[schema]

// Advisory locks are per database, and a database holds one chain, so small fixed numbers do: the first is ours ("tide"),
// the second says which lock. Only transaction-level ones: session locks break under transaction pooling.
const lockClass = 0x74696465

/** Shared by every commit, exclusive for a rollback. One for the chain, also when raw and app share a database. */
export const chainLock = [lockClass, 1] as const

/** One process at a time makes the tables of workers; ten that start at once would trip over each other. */
export const workerTablesLock = [lockClass, 2] as const

export type ElectedService = "reaper" | "partition-keeper" | "head-follower" | "index-builder" | "reconciler"

const electionLocks: Record<ElectedService, number> = {
  reaper: 16,
  "partition-keeper": 17,
  "head-follower": 18,
  "index-builder": 19,
  reconciler: 20,
}

/** One instance of each service runs at a time: whoever holds this for the length of its transaction. */
export const electionLock = (service: ElectedService): readonly [number, number] => [
  lockClass,
  electionLocks[service],
]

/** One claim of a worker at a time: second key of a lock whose first is `claimLockClass`. */
export const claimLockClass = lockClass + 1
