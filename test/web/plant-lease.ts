// A lease as a worker would have left it, so that the console has something to show.

import { randomUUID } from "node:crypto"
import type { ServedStore } from "../support/served-store.js"

export interface PlantedLease {
  readonly store: "raw" | "app"
  readonly worker: string
  readonly height: number
  readonly status: "ACTIVE" | "FAILED" | "DEAD"
  readonly error?: string
  readonly code?: string
  readonly attempt?: number
  readonly holder?: string
}

/** Of one block, which is not covered any more. */
export async function plantLease({ store }: ServedStore, lease: PlantedLease): Promise<void> {
  const {
    store: schema,
    worker,
    height,
    status,
    error = null,
    code = "WORKER_FAILED",
    attempt = 4,
    holder = null,
  } = lease
  await store[schema].query(
    `update ${schema}.coverage set heights = heights - int8multirange(int8range($2::int8, $2::int8 + 1))
     where worker_type = $1`,
    [worker, height],
  )
  await store[schema].query(
    `insert into ${schema}.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms, leased_by,
       leased_at, lease_expires_at, next_attempt_at, last_error, last_error_code, last_error_at)
     values ($1, $2::int8, $2::int8 + 1, $3, $4, $5, 60000, $6, clock_timestamp(),
       case when $3 = 'ACTIVE' then clock_timestamp() + interval '1 hour' end,
       clock_timestamp() + interval '1 minute', $7, case when $7::text is not null then $8 end, clock_timestamp())`,
    [worker, height, status, attempt, randomUUID(), holder, error, code],
  )
}
