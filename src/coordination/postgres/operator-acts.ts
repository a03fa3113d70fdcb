// What an operator can do to a lease: retry it now, or skip a DEAD block. Both end the token and are audited.

import type { Queryable } from "../../postgres/transaction.js"
import type { OperatorAct } from "../lease-store.js"
import type { CoordinationTables, LeaseDeps } from "./coordination-tables.js"
import { lockChain } from "./locks.js"
import { writeAudit } from "./write-audit.js"

export async function retryLease({ tables, random }: LeaseDeps, tx: Queryable, act: OperatorAct): Promise<boolean> {
  const {
    rows: [row],
  } = await tx.query<{ from_height: string; to_height: string }>(
    `update ${tables.leases} set status = 'FAILED', attempt = 0, epoch = $3, next_attempt_at = clock_timestamp()
     where worker_type = $1 and status in ('DEAD', 'FAILED') and from_height <= $2 and to_height > $2
     returning from_height, to_height`,
    [act.worker, act.height, random.uuid()],
  )
  if (!row) return false
  await writeAudit(tables, tx, {
    actor: act.actor,
    action: "retry",
    details: { worker_type: act.worker, from: row.from_height, to: row.to_height },
  })
  return true
}

export async function skipBlock(tables: CoordinationTables, tx: Queryable, act: OperatorAct): Promise<boolean> {
  await lockChain(tx, "shared")
  const {
    rows: [row],
  } = await tx.query<{ last_error: string | null }>(
    `delete from ${tables.leases}
     where worker_type = $1 and status = 'DEAD' and from_height = $2::int8 and to_height = $2::int8 + 1
     returning last_error`,
    [act.worker, act.height],
  )
  if (!row) return false
  await tx.query(
    `update ${tables.coverage}
     set skipped = skipped + int8multirange(int8range($2::int8, $2::int8 + 1)), updated_at = clock_timestamp()
     where worker_type = $1`,
    [act.worker, act.height],
  )
  await writeAudit(tables, tx, {
    actor: act.actor,
    action: "skip",
    details: { worker_type: act.worker, height: act.height, last_error: row.last_error },
  })
  return true
}
