// The one place where an audit row is written.

import type { Queryable } from "../../postgres/transaction.js"
import type { AuditEntry } from "../coverage-ledger.js"
import type { CoordinationTables } from "./coordination-tables.js"

export async function writeAudit(
  { auditLog }: Pick<CoordinationTables, "auditLog">,
  tx: Queryable,
  { actor, action, details }: AuditEntry,
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `insert into ${auditLog} (actor, action, details) values ($1, $2, $3) returning id`,
    [actor, action, JSON.stringify(details)],
  )
  return rows[0]!.id
}
