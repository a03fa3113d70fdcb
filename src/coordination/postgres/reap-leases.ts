// Reaping: a lease that expired, or whose holder's backend is gone, fails. Backends of expired leases are terminated first,
// found by a plain read: a client stopped in mid-COPY keeps its keys forever, and one stopped after its last check holds its
// lease row, which SKIP LOCKED would never see.

import type { Queryable } from "../../postgres/transaction.js"
import type { ReapOutcome } from "../lease-store.js"
import type { CoordinationTables } from "./coordination-tables.js"
import { endHolders, type HeldBackend } from "./end-holders.js"
import { type FailDeps, failLease } from "./fail-lease.js"
import { winElection } from "./locks.js"

const pruneBatch = 10_000

const isEnded = (moment: string): string =>
  `status = 'ACTIVE' and (
     lease_expires_at < ${moment}
     or backend_pid is not null and not exists (
       select from pg_stat_activity as activity
       where activity.pid = lease.backend_pid
         -- Another role's backend shows no start: it may be the holder's, so only the expiry decides.
         and coalesce(activity.backend_start = lease.backend_start, true)))`

const isOld = "status = 'COMPLETED' and completed_at < clock_timestamp() - interval '1 day'"

/** The time up to which leases count as ended, for both steps of one run. Usually nothing is due, and the run ends here. */
export async function readCutoff(
  tables: CoordinationTables,
  sql: Queryable,
): Promise<{ cutoff: string; due: boolean }> {
  const { rows } = await sql.query<{ cutoff: string; due: boolean }>(
    `select clock_timestamp()::text as cutoff,
       exists (select from ${tables.leases} as lease where ${isEnded("clock_timestamp()")})
       or exists (select from ${tables.leases} where ${isOld}) as due`,
  )
  return rows[0]!
}

export async function endExpiredBackends(
  tables: CoordinationTables,
  sql: Queryable,
  { cutoff }: { cutoff: string },
): Promise<Pick<ReapOutcome, "holdersEnded" | "holdersLeft">> {
  const { rows } = await sql.query<{ ended: boolean | null }>(
    `select ${tables.endBackend}(activity.pid) as ended
     from ${tables.leases} as lease
     join pg_stat_activity as activity
       on activity.pid = lease.backend_pid and activity.backend_start = lease.backend_start
     where lease.status = 'ACTIVE' and lease.lease_expires_at < $1::timestamptz
       -- A backend that works on another range and renews that lease is no stopped holder.
       and not exists (
         select from ${tables.leases} as other
         where other.status = 'ACTIVE' and other.lease_expires_at >= clock_timestamp()
           and other.backend_pid = lease.backend_pid and other.backend_start = lease.backend_start)`,
    [cutoff],
  )
  const holdersLeft = rows.filter(({ ended }) => ended === null).length
  return { holdersEnded: rows.length - holdersLeft, holdersLeft }
}

interface ExpiredRow extends HeldBackend {
  id: string
  worker_type: string
  from_height: string
  to_height: string
  attempt: number
  database_restarted: boolean
}

/** Undefined when another process is reaping at this moment. */
export async function reapLeases(
  deps: FailDeps,
  tx: Queryable,
  { cutoff }: { cutoff: string },
): Promise<Omit<ReapOutcome, "holdersEnded" | "holdersLeft"> | undefined> {
  const { tables } = deps
  if (!(await winElection(tx, "reaper"))) return undefined
  const { rows: expired } = await tx.query<ExpiredRow>(
    `select id, worker_type, from_height, to_height, attempt, backend_pid, backend_start::text as backend_start,
       pg_postmaster_start_time() > lease_expires_at - lease_ttl_ms * interval '1 ms' as database_restarted
     from ${tables.leases} as lease
     -- The same cutoff as above: a lease that ended in between would be freed with its backend left alive forever.
     where ${isEnded("$1::timestamptz")}
     order by worker_type, from_height
     for update skip locked`,
    [cutoff],
  )
  const dead: { worker: string; height: number }[] = []
  for (const row of expired) {
    const range = { from: Number(row.from_height), to: Number(row.to_height) }
    // A restart of the database ends every lease at once and is no failure of the range.
    const attempt = row.database_restarted ? Math.max(0, row.attempt - 1) : row.attempt
    await tx.query(
      `update ${tables.leases} set last_error = coalesce(last_error, 'the holder stopped renewing its lease'),
         last_error_code = coalesce(last_error_code, 'LEASE_LOST'),
         last_error_at = coalesce(last_error_at, clock_timestamp())
       where id = $1`,
      [row.id],
    )
    const status = await failLease(deps, tx, { id: row.id, range, attempt })
    if (status === "DEAD") dead.push({ worker: row.worker_type, height: range.from })
  }
  // Holders found since the first read: a delayed claim may have committed after its expiry.
  await endHolders(tables, tx, expired)
  const { rows: pruned } = await tx.query(
    `delete from ${tables.leases} where id in (
       select id from ${tables.leases}
       where ${isOld}
       order by completed_at limit ${pruneBatch})
     returning 1 as gone`,
  )
  return { expired: expired.length, dead, pruned: pruned.length }
}
