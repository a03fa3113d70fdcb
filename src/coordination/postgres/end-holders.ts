// Terminates the connections of holders that lost their leases: no lease names them any more, so the reaper could not find
// them later, and one that stopped in an open transaction would keep its keys forever.

import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationTables } from "./coordination-tables.js"

/** Of a lease that was held. */
export interface HeldBackend {
  readonly backend_pid: number | null
  readonly backend_start: string | null
}

/** Called after the leases were changed. A connection that holds another lease is left alone. */
export async function endHolders(
  tables: CoordinationTables,
  tx: Queryable,
  taken: readonly HeldBackend[],
): Promise<void> {
  const held = taken.filter(({ backend_pid }) => backend_pid !== null)
  if (held.length === 0) return
  await tx.query(
    `select ${tables.endBackend}(activity.pid)
     from unnest($1::int4[], $2::timestamptz[]) as holder (pid, started)
     join pg_stat_activity as activity on activity.pid = holder.pid and activity.backend_start = holder.started
     where not exists (
       select from ${tables.leases} as other
       where other.status = 'ACTIVE' and other.backend_pid = holder.pid and other.backend_start = holder.started)`,
    [held.map(({ backend_pid }) => backend_pid), held.map(({ backend_start }) => backend_start)],
  )
}
