// Release: the holder ends its lease under its token. An outage, a rollback or a shutdown costs no attempt; a withdrawn lease
// leaves a gap like any other.

import type { Queryable } from "../../postgres/transaction.js"
import { backoffMs } from "../after-failure.js"
import type { Lease, ReleaseRequest } from "../lease-store.js"
import { type FailDeps, failLease } from "./fail-lease.js"

const errorTextMax = 2_000

/** What became of the lease; undefined when it was no longer held: then nothing changed. */
export async function releaseRange(
  deps: FailDeps,
  tx: Queryable,
  { lease, request }: { lease: Lease; request: ReleaseRequest },
): Promise<"FAILED" | "DEAD" | "withdrawn" | undefined> {
  const { tables, random, policy } = deps
  const { rows: held } = await tx.query(
    `update ${tables.leases}
     set last_error = coalesce($3::text, last_error), last_error_code = coalesce($4::text, last_error_code),
         last_error_at = case when $3::text is null then last_error_at else clock_timestamp() end
     where id = $1 and epoch = $2 and status = 'ACTIVE'
     returning 1 as held`,
    // Postgres accepts no NUL in text; an error may quote hostile input.
    [
      lease.id,
      lease.epoch,
      request.error?.message.replaceAll("\0", "\\0").slice(0, errorTextMax) ?? null,
      request.error?.code ?? null,
    ],
  )
  if (held.length === 0) return undefined
  if (request.cause === "failure" || request.cause === "bug") {
    return failLease(deps, tx, { ...lease, height: request.height, isBug: request.cause === "bug" })
  }
  if (request.cause === "withdrawn") {
    await tx.query(`delete from ${tables.leases} where id = $1`, [lease.id])
    return "withdrawn"
  }
  const waitMs = request.cause === "shutdown" ? 0 : backoffMs(policy, lease.attempt, random.next())
  await tx.query(
    `update ${tables.leases}
     set status = 'FAILED', epoch = $2, attempt = greatest(attempt - 1, 0), lease_expires_at = null,
         next_attempt_at = clock_timestamp() + $3::int4 * interval '1 ms'
     where id = $1`,
    [lease.id, random.uuid(), waitMs],
  )
  return "FAILED"
}
