// Coverage and unfinished leases in one statement, for status, metrics and the stall doctor.

import { parseMultirange } from "../../postgres/multirange.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationSnapshot } from "../coverage-ledger.js"
import type { LeaseRow, LeaseStatus } from "../lease-store.js"
import type { CoordinationTables } from "./coordination-tables.js"

interface SnapshotRow {
  coverage: { worker_type: string; heights: string; skipped: string; moved_ago_ms: number | null }[]
  leases: {
    id: string
    epoch: string
    worker_type: string
    from_height: string
    to_height: string
    status: LeaseStatus
    attempt: number
    leased_by: string | null
    leased_for_ms: number | null
    expires_in_ms: number | null
    next_attempt_in_ms: number | null
    last_error: string | null
    last_error_code: string | null
    last_error_ago_ms: number | null
  }[]
}

export async function readCoordination(
  tables: CoordinationTables,
  sql: Queryable,
): Promise<CoordinationSnapshot> {
  const {
    rows: [row],
  } = await sql.query<SnapshotRow>(
    `select
       coalesce((select json_agg(json_build_object('worker_type', worker_type, 'heights', heights::text,
         'skipped', skipped::text, 'moved_ago_ms', case when not isempty(heights + skipped)
           then extract(epoch from clock_timestamp() - updated_at) * 1000 end) order by worker_type) from ${tables.coverage}), '[]') as coverage,
       coalesce((select json_agg(json_build_object(
           'id', id::text, 'epoch', epoch, 'worker_type', worker_type, 'from_height', from_height::text,
           'to_height', to_height::text, 'status', status, 'attempt', attempt, 'leased_by', leased_by,
           'leased_for_ms', extract(epoch from clock_timestamp() - leased_at) * 1000,
           'expires_in_ms', case when status = 'ACTIVE' then extract(epoch from lease_expires_at - clock_timestamp()) * 1000 end,
           'next_attempt_in_ms', case when status = 'FAILED' then extract(epoch from next_attempt_at - clock_timestamp()) * 1000 end,
           'last_error', last_error, 'last_error_code', last_error_code,
           'last_error_ago_ms', extract(epoch from clock_timestamp() - last_error_at) * 1000) order by worker_type, from_height)
         from ${tables.leases} where status <> 'COMPLETED'), '[]') as leases`,
  )
  return {
    coverage: row!.coverage.map(({ worker_type, heights, skipped, moved_ago_ms }) => ({
      workerType: worker_type,
      heights: parseMultirange(heights),
      skipped: parseMultirange(skipped),
      movedAgoMs: moved_ago_ms === null ? null : Math.round(moved_ago_ms),
    })),
    leases: row!.leases.map(
      (lease): LeaseRow => ({
        id: lease.id,
        epoch: lease.epoch,
        workerType: lease.worker_type,
        range: { from: heightFrom(lease.from_height), to: heightFrom(lease.to_height) },
        status: lease.status,
        attempt: lease.attempt,
        leasedBy: lease.leased_by,
        leasedForMs: lease.leased_for_ms,
        expiresInMs: lease.expires_in_ms,
        nextAttemptInMs: lease.next_attempt_in_ms,
        lastError: lease.last_error,
        lastErrorCode: lease.last_error_code,
        lastErrorAgoMs: lease.last_error_ago_ms,
      }),
    ),
  }
}
