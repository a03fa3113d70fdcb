// What a failure does to the lease's row: due again later, split, or DEAD. The holder's token ends in every case.

import type { BlockRange } from "../../domain/block-range.js"
import type { Random } from "../../platform/random.js"
import type { Queryable } from "../../postgres/transaction.js"
import { afterFailure, backoffMs, type FailurePolicy } from "../after-failure.js"
import type { CoordinationTables } from "./coordination-tables.js"

export interface FailingLease {
  readonly id: string
  readonly range: BlockRange
  readonly attempt: number
  readonly height?: number | undefined
}

/** Returns the status the lease ended with. The row must be locked by this transaction. */
export async function failLease(
  { tables, random, policy }: { tables: CoordinationTables; random: Random; policy: FailurePolicy },
  tx: Queryable,
  lease: FailingLease,
): Promise<"FAILED" | "DEAD"> {
  const verdict = afterFailure(policy, lease)
  const status = verdict.kind === "dead" ? "DEAD" : "FAILED"
  const [first, ...others] = verdict.kind === "split" ? verdict.parts : [lease.range]
  const waitMs = verdict.kind === "split" ? 0 : backoffMs(policy, lease.attempt, random.next())
  await tx.query(
    `update ${tables.leases}
     set status = $2, epoch = $3, from_height = $4, to_height = $5, attempt = $6, lease_expires_at = null,
         next_attempt_at = clock_timestamp() + $7::int4 * interval '1 ms'
     where id = $1`,
    [
      lease.id,
      status,
      random.uuid(),
      first.from,
      first.to,
      verdict.kind === "split" ? 0 : lease.attempt,
      waitMs,
    ],
  )
  for (const part of others) {
    await tx.query(
      `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
         next_attempt_at, last_error, last_error_code, last_error_at)
       select worker_type, $2::int8, $3::int8, 'FAILED', 0, $4::uuid, lease_ttl_ms, clock_timestamp(), last_error, last_error_code, last_error_at
       from ${tables.leases} where id = $1`,
      [lease.id, part.from, part.to, random.uuid()],
    )
  }
  return status
}
