// The parts of a lease outside its new range stay FAILED and due, as leases of their own. They are inserted after the lease
// itself has shrunk: the exclusion constraint checks row by row.

import type { RangeSet } from "../../domain/range-set.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { LeaseDeps } from "./coordination-tables.js"

export async function insertParts(
  { tables, random }: LeaseDeps,
  tx: Queryable,
  { id, parts, attempt }: { id: string; parts: RangeSet; attempt: number },
): Promise<void> {
  for (const part of parts) {
    await tx.query(
      `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
         next_attempt_at, last_error, last_error_code, last_error_at)
       select worker_type, $2::int8, $3::int8, 'FAILED', $5::int4, $4::uuid, lease_ttl_ms, clock_timestamp(),
         last_error, last_error_code, last_error_at
       from ${tables.leases} where id = $1`,
      [id, part.from, part.to, random.uuid(), attempt],
    )
  }
}
