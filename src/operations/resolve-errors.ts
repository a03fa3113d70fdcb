// A person says that errors are dealt with. The same error seen again opens its row once more.

import { coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { writeAudit } from "../coordination/postgres/write-audit.js"
import { derivedWorkerNames, noSuchWorker } from "./no-such-worker.js"
import type { OperatedChain } from "./operated-chain.js"

export interface ResolveErrorsOptions {
  readonly actor: string
  /** Left out: of all workers. */
  readonly worker?: string | undefined
  /** Left out: of all blocks. */
  readonly height?: number | undefined
}

/** How many were open, by worker; nothing is audited when none was. */
export async function resolveErrors(
  chain: OperatedChain,
  { actor, worker, height }: ResolveErrorsOptions,
): Promise<ReadonlyMap<string, number>> {
  const counts = await chain.app.transaction(async (tx) => {
    const { rows } = await tx.query<{ worker_name: string; count: string }>(
      `with resolved as (
         update app.indexing_errors set resolved = true, updated_at = clock_timestamp()
         where not resolved and ($1::text is null or worker_name = $1) and ($2::int8 is null or block_height = $2)
         returning worker_name)
       select worker_name, count(*) as count from resolved group by worker_name order by worker_name`,
      [worker ?? null, height ?? null],
    )
    const open = new Map(rows.map((row) => [row.worker_name, Number(row.count)]))
    if (open.size > 0) {
      await writeAudit(coordinationTables("app"), tx, {
        actor,
        action: "resolve",
        details: { errors: Object.fromEntries(open), ...(height === undefined ? {} : { height }) },
      })
    }
    return open
  })
  // A worker that is gone may have left errors; one that never was has none.
  const isKnown = worker === undefined || (await derivedWorkerNames(chain.app)).includes(worker)
  if (counts.size === 0 && !isKnown) throw await noSuchWorker(chain, worker)
  return counts
}
