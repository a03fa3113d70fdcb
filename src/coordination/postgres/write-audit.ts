// What a person did, in the transaction that does it: neither is there without the other.

import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationTables } from "./coordination-tables.js"

export interface AuditEntry {
  /** user@host. */
  readonly actor: string
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
}

export async function writeAudit(
  { auditLog }: Pick<CoordinationTables, "auditLog">,
  tx: Queryable,
  { actor, action, details }: AuditEntry,
): Promise<void> {
  await tx.query(`insert into ${auditLog} (actor, action, details) values ($1, $2, $3)`, [
    actor,
    action,
    JSON.stringify(details),
  ])
}
