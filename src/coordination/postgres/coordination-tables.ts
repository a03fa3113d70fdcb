// The coordination tables of one schema ("raw" or "app"), quoted.

import type { Random } from "../../platform/random.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"

export type CoordinationSchema = "raw" | "app"

export type CoordinationTables = ReturnType<typeof coordinationTables>

/** For statements that end a token, which need a new epoch. */
export interface LeaseDeps {
  readonly tables: CoordinationTables
  readonly random: Random
}

export const coordinationTables = (schema: CoordinationSchema) => ({
  schema,
  leases: quoteIdentifier(schema, "worker_leases"),
  coverage: quoteIdentifier(schema, "coverage"),
  chainState: quoteIdentifier(schema, "chain_state"),
  rollbacks: quoteIdentifier(schema, "rollbacks"),
  auditLog: quoteIdentifier(schema, "audit_log"),
  endBackend: quoteIdentifier(schema, "end_backend"),
})
