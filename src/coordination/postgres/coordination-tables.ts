// The coordination tables of one schema ("raw" or "app"), quoted once.

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
