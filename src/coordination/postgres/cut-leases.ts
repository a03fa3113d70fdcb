// What becomes of unfinished leases on heights that are taken back: inside they go, DEAD ones too; one that reaches beyond is cut there, and
// what is left is due again. Its token ends either way, and its holder's connection with it: whoever holds it has read what is no longer so.

import { type RangeSet, subtract } from "../../domain/range-set.js"
import type { Random } from "../../platform/random.js"
import { printMultirange } from "../../postgres/multirange.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationTables } from "./coordination-tables.js"
import { endHolders, type HeldBackend } from "./end-holders.js"

interface LeaseRow extends HeldBackend {
  id: string
  from_height: string
  to_height: string
}

/** Under the exclusive chain lock: no commit is under way. Returns how many were cut or removed. */
export async function cutLeases(
  { tables, random }: { tables: CoordinationTables; random: Random },
  tx: Queryable,
  { workers, removed }: { workers: readonly string[]; removed: RangeSet },
): Promise<number> {
  const { rows } = await tx.query<LeaseRow>(
    `select id, from_height, to_height, case when status = 'ACTIVE' then backend_pid end as backend_pid,
       backend_start::text as backend_start
     from ${tables.leases}
     where worker_type = any ($1) and status <> 'COMPLETED' and int8range(from_height, to_height) && $2::int8multirange
     order by id for update`,
    [workers, printMultirange(removed)],
  )
  for (const row of rows) {
    const range = { from: heightFrom(row.from_height), to: heightFrom(row.to_height) }
    const [first, ...others] = subtract([range], removed)
    if (!first) {
      await tx.query(`delete from ${tables.leases} where id = $1`, [row.id])
      continue
    }
    // Shrunk before its other parts are inserted: the exclusion constraint checks row by row.
    await tx.query(
      `update ${tables.leases}
       set status = 'FAILED', epoch = $2, from_height = $3, to_height = $4, attempt = 0, lease_expires_at = null,
           next_attempt_at = clock_timestamp()
       where id = $1`,
      [row.id, random.uuid(), first.from, first.to],
    )
    for (const part of others) {
      await tx.query(
        `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms, next_attempt_at,
           last_error, last_error_code, last_error_at)
         select worker_type, $2::int8, $3::int8, 'FAILED', 0, $4::uuid, lease_ttl_ms, clock_timestamp(), last_error, last_error_code,
           last_error_at
         from ${tables.leases} where id = $1`,
        [row.id, part.from, part.to, random.uuid()],
      )
    }
  }
  await endHolders(tables, tx, rows)
  return rows.length
}
