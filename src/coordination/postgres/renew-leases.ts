// Renewal, for all leases of a process in one statement. A locked row belongs to a commit in progress and is skipped.

import type { Queryable } from "../../postgres/transaction.js"
import type { LeaseToken } from "../lease-store.js"
import type { CoordinationTables } from "./coordination-tables.js"

export async function renewLeases(
  tables: CoordinationTables,
  sql: Queryable,
  tokens: readonly LeaseToken[],
): Promise<readonly LeaseToken[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql.query<{ id: string; epoch: string }>(
    `update ${tables.leases} as lease
     set lease_expires_at = clock_timestamp() + lease.lease_ttl_ms * interval '1 ms'
     where lease.id in (
       select held.id from ${tables.leases} as held
       join unnest($1::int8[], $2::uuid[]) as token (id, epoch) on held.id = token.id and held.epoch = token.epoch
       where held.status = 'ACTIVE'
       for update of held skip locked)
     returning lease.id, lease.epoch`,
    [tokens.map(({ id }) => id), tokens.map(({ epoch }) => epoch)],
  )
  return rows
}
