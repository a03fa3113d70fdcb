// Coverage and unfinished leases in one statement, for status, metrics and the stall doctor.

import { parseMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationSnapshot } from "../coverage-ledger.js"
import type { CoordinationTables } from "./coordination-tables.js"

interface SnapshotRow extends Pick<CoordinationSnapshot, "leases"> {
  coverage: { worker_type: string; heights: string; skipped: string; moved_ago_ms: number | null }[]
}

export async function readCoordination(tables: CoordinationTables, sql: Queryable): Promise<CoordinationSnapshot> {
  const {
    rows: [row],
  } = await sql.query<SnapshotRow & Record<string, unknown>>(
    `select
       coalesce((select json_agg(json_build_object('worker_type', worker_type, 'heights', heights::text,
         'skipped', skipped::text, 'moved_ago_ms', case when not isempty(heights + skipped)
           then extract(epoch from clock_timestamp() - updated_at) * 1000 end) order by worker_type)
         from ${tables.coverage}), '[]') as coverage,
       coalesce((select json_agg(json_build_object(
           'id', id::text, 'epoch', epoch, 'worker', worker_type,
           'range', json_build_object('from', from_height, 'to', to_height),
           'status', status, 'attempt', attempt, 'leasedBy', leased_by,
           'leasedForMs', extract(epoch from clock_timestamp() - leased_at) * 1000,
           'expiresInMs', case when status = 'ACTIVE'
             then extract(epoch from lease_expires_at - clock_timestamp()) * 1000 end,
           'nextAttemptInMs', case when status = 'FAILED'
             then extract(epoch from next_attempt_at - clock_timestamp()) * 1000 end,
           'lastError', last_error, 'lastErrorCode', last_error_code,
           'lastErrorAgoMs', extract(epoch from clock_timestamp() - last_error_at) * 1000)
           order by worker_type, from_height)
         from ${tables.leases} where status <> 'COMPLETED'), '[]') as leases`,
  )
  return {
    coverage: row!.coverage.map(({ worker_type, heights, skipped, moved_ago_ms }) => ({
      worker: worker_type,
      heights: parseMultirange(heights),
      skipped: parseMultirange(skipped),
      movedAgoMs: moved_ago_ms === null ? null : Math.round(moved_ago_ms),
    })),
    leases: row!.leases,
  }
}
