// What there is to derive, read by one statement: which workers are paused, their concurrency, where the chain starts and
// where raw's coverage ends.

import type { ClaimMember } from "../coordination/lease-store.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { WorkerRegistry } from "./worker-registry.js"

export interface WorkPlan {
  readonly startHeight: number
  /** End of what raw covers, as the app database knows it. */
  readonly rawEnd: number
  /** Workers that may claim, dependencies first. */
  readonly members: readonly ClaimMember[]
}

interface PlanRow {
  start_height: string
  raw_end: string | null
  workers: { name: string; paused: boolean; concurrency: number | null }[]
}

export async function readWorkPlan(
  sql: Queryable,
  { registry, runnable }: { registry: WorkerRegistry; runnable: readonly string[] },
): Promise<WorkPlan | undefined> {
  const {
    rows: [row],
  } = await sql.query<PlanRow>(
    `select chain_state.start_height,
       (select upper(range_merge(heights))
         from app.coverage where worker_type = $1 and not isempty(heights)) as raw_end,
       coalesce((select json_agg(json_build_object('name', name, 'paused', paused, 'concurrency', concurrency))
         from app.workers), '[]') as workers
     from app.chain_state`,
    [rawIngester],
  )
  if (!row?.raw_end) return undefined
  const members = registry.workers.flatMap((worker): ClaimMember[] => {
    const stored = row.workers.find(({ name }) => name === worker.name)
    if (!stored || stored.paused || !runnable.includes(worker.name)) return []
    return [
      {
        worker: worker.name,
        dependencies: [rawIngester, ...(worker.dependencies ?? [])],
        ...(stored.concurrency === null ? {} : { concurrency: stored.concurrency }),
      },
    ]
  })
  return { startHeight: heightFrom(row.start_height), rawEnd: heightFrom(row.raw_end), members }
}
