// Applies a failure to the lease's row: due again later, split, or DEAD. The holder's token ends in every case.

import type { Queryable } from "../../postgres/transaction.js"
import { afterFailure, backoffMs, type FailedAttempt, type FailurePolicy } from "../after-failure.js"
import type { LeaseDeps } from "./coordination-tables.js"
import { insertParts } from "./insert-parts.js"

export interface FailDeps extends LeaseDeps {
  readonly policy: FailurePolicy
}

export interface FailingLease extends FailedAttempt {
  readonly id: string
}

/** Returns the status the lease ended with. The row must be locked by this transaction. */
export async function failLease(
  { tables, random, policy }: FailDeps,
  tx: Queryable,
  lease: FailingLease,
): Promise<"FAILED" | "DEAD"> {
  const verdict = afterFailure(policy, lease)
  const status = verdict.kind === "dead" ? "DEAD" : "FAILED"
  const [first, ...others] = verdict.kind === "split" ? verdict.parts : [lease.range]
  // A bug costs its block no attempt, so the wait cannot double.
  const isBuggyBlock = lease.isBug && lease.range.to - lease.range.from === 1
  const attempt = verdict.kind === "split" ? 0 : isBuggyBlock ? Math.max(0, lease.attempt - 1) : lease.attempt
  const backoff = isBuggyBlock ? policy.backoffMaxMs : backoffMs(policy, lease.attempt, random.next())
  const waitMs = verdict.kind === "split" ? 0 : backoff
  await tx.query(
    `update ${tables.leases}
     set status = $2, epoch = $3, from_height = $4, to_height = $5, attempt = $6, lease_expires_at = null,
         next_attempt_at = clock_timestamp() + $7::int4 * interval '1 ms'
     where id = $1`,
    [lease.id, status, random.uuid(), first.from, first.to, attempt, waitMs],
  )
  await insertParts({ tables, random }, tx, { id: lease.id, parts: others, attempt: 0 })
  return status
}
