// What becomes of unfinished leases on heights that are taken back: inside they go, DEAD ones too; one that reaches beyond is cut there, and
// what is left is due again. Its token ends either way, and its holder's connection with it: whoever holds it has read what is no longer so.

import { type RangeSet, subtract } from "../../domain/range-set.js"
import type { Random } from "../../platform/random.js"
import { printMultirange } from "../../postgres/multirange.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationTables } from "./coordination-tables.js"

interface LeaseRow {
  id: string
  from_height: string
  to_height: string
  /** Of a lease that is held. */
  backend_pid: number | null
  backend_start: string | null
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

/**
 * No lease names these connections any more, so the reaper could not find them: a client that is stopped in its open transaction would keep
 * its keys for ever, and whoever does the heights again would wait for them. What the others have open would be refused anyway.
 * Never this one: whoever cuts leases has a connection that holds none.
 */
async function endHolders(
  tables: CoordinationTables,
  tx: Queryable,
  cut: readonly LeaseRow[],
): Promise<void> {
  const held = cut.filter(({ backend_pid }) => backend_pid !== null)
  if (held.length === 0) return
  await tx.query(
    `select pg_terminate_backend(activity.pid)
     from unnest($1::int4[], $2::timestamptz[]) as holder (pid, started)
     join pg_stat_activity as activity on activity.pid = holder.pid and activity.backend_start = holder.started
     where not exists (
       select from ${tables.leases} as other
       where other.status = 'ACTIVE' and other.backend_pid = holder.pid and other.backend_start = holder.started)`,
    [held.map(({ backend_pid }) => backend_pid), held.map(({ backend_start }) => backend_start)],
  )
}
