// Coordination rows put straight into a test database: what a chain looks like after some work, without doing it.

import { randomUUID } from "node:crypto"
import type { Queryable } from "../../src/postgres/transaction.js"

export interface ChainRows {
  readonly name?: string
  readonly start?: number
  readonly head?: number | null
  readonly finalized?: number | null
  readonly liveFrom?: number | null
  readonly headAgeMs?: number
}

export async function insertChain(sql: Queryable, rows: ChainRows = {}): Promise<void> {
  const { name = "demo", start = 0, head = 1_199, finalized = 1_135, liveFrom = 1_135, headAgeMs = 0 } = rows
  await sql.query(
    `insert into raw.chain_state (chain_name, chain_id, genesis_hash, start_height, live_from, head_height,
       finalized_height, head_seen_at, followed_by, follower_name, followed_at)
     values ($1, 31337, '\\x00', $2, $3, $4, $5, clock_timestamp() - $6::int4 * interval '1 ms', gen_random_uuid(), 'harbour:1:0',
       clock_timestamp() - $6::int4 * interval '1 ms')`,
    [name, start, liveFrom, head, finalized, headAgeMs],
  )
}

export async function insertCoverage(
  sql: Queryable,
  row: { worker?: string; heights: string; skipped?: string; ageMs?: number },
): Promise<void> {
  await sql.query(
    `insert into raw.coverage (worker_type, heights, skipped, updated_at)
     values ($1, $2, $3, clock_timestamp() - $4::int4 * interval '1 ms')
     on conflict (worker_type) do update set heights = excluded.heights, skipped = excluded.skipped, updated_at = excluded.updated_at`,
    [row.worker ?? "raw_ingester", row.heights, row.skipped ?? "{}", row.ageMs ?? 0],
  )
}

export interface LeaseRowInput {
  readonly from: number
  readonly to: number
  readonly status: "ACTIVE" | "COMPLETED" | "FAILED" | "DEAD"
  readonly worker?: string
  readonly attempt?: number
  readonly error?: { readonly code: string; readonly message: string; readonly agoMs: number }
  readonly completedAgoMs?: number
}

export async function insertLease(sql: Queryable, row: LeaseRowInput): Promise<void> {
  await sql.query(
    `insert into raw.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, leased_by, lease_ttl_ms,
       leased_at, lease_expires_at, next_attempt_at, last_error, last_error_code, last_error_at, completed_at)
     values ($1, $2, $3, $4, $5, $6, 'harbour:1:0', 30000, clock_timestamp(),
       case when $4 = 'ACTIVE' then clock_timestamp() + interval '30 s' end, clock_timestamp(), $7, $8,
       clock_timestamp() - $9::int4 * interval '1 ms', clock_timestamp() - $10::int4 * interval '1 ms')`,
    [
      row.worker ?? "raw_ingester",
      row.from,
      row.to,
      row.status,
      row.attempt ?? 1,
      randomUUID(),
      row.error?.message ?? null,
      row.error?.code ?? null,
      row.error?.agoMs ?? null,
      row.completedAgoMs ?? null,
    ],
  )
}
