// What a person may set of a worker: pause, and how many ranges at once. Every running process reads both at each turn, several times
// a second; a range under way is finished. Audited.

import { coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { writeAudit } from "../coordination/postgres/write-audit.js"
import type { Queryable } from "../postgres/transaction.js"

export interface WorkerSteering {
  readonly paused?: { readonly reason: string | null } | false
  /** Null takes the limit away. */
  readonly concurrency?: number | null
}

export interface SteerWorkerOptions extends WorkerSteering {
  readonly worker: string
  readonly actor: string
}

/** Run it in a transaction. False when there is no such worker. */
export async function steerWorker(
  tx: Queryable,
  { worker, actor, paused, concurrency }: SteerWorkerOptions,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update app.workers set
       paused = coalesce($2, paused),
       paused_reason = case when $2 is null then paused_reason else $3 end,
       concurrency = case when $4::boolean then $5::int4 else concurrency end,
       updated_at = clock_timestamp()
     where name = $1`,
    [
      worker,
      paused === undefined ? null : paused !== false,
      paused ? paused.reason : null,
      concurrency !== undefined,
      concurrency ?? null,
    ],
  )
  if (rowCount !== 1) return false
  if (paused !== undefined) {
    await writeAudit(coordinationTables("app"), tx, {
      actor,
      action: paused ? "pause" : "resume",
      details: { worker_type: worker, ...(paused ? { reason: paused.reason } : {}) },
    })
  }
  if (concurrency !== undefined) {
    await writeAudit(coordinationTables("app"), tx, {
      actor,
      action: "concurrency",
      details: { worker_type: worker, concurrency },
    })
  }
  return true
}
