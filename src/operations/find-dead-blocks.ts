// The DEAD blocks that an operator means: all, or those of a worker, with an error code, or with one fault.

import { faultOf } from "../coordination/dead-fault.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { OperatedChain, WorkerBlock } from "./operated-chain.js"

export interface DeadFilter {
  readonly worker?: string | undefined
  readonly code?: string | undefined
  /** As the groups of DEAD blocks name it. */
  readonly fault?: string | undefined
  /** At most so many, the lowest of each worker first; left out: all. */
  readonly most?: number | undefined
}

const deadSql = (schema: "raw" | "app"): string =>
  `select worker_type as worker, from_height as height from ${schema}.worker_leases
   where status = 'DEAD' and ($1::text is null or worker_type = $1) and ($2::text is null or last_error_code = $2)
     and ($3::text is null or ${faultOf} = $3)
   order by worker_type collate "C", from_height limit $4`
const deadSqlOf = { raw: deadSql("raw"), app: deadSql("app") }

export async function findDeadBlocks(
  chain: OperatedChain,
  { worker, code, fault, most }: DeadFilter,
): Promise<readonly WorkerBlock[]> {
  const given = [worker ?? null, code ?? null, fault ?? null, most ?? null]
  const read = async (schema: "raw" | "app"): Promise<WorkerBlock[]> => {
    const { rows } = await chain[schema].query<{ worker: string; height: string }>(deadSqlOf[schema], given)
    return rows.map((row) => ({ worker: row.worker, height: heightFrom(row.height) }))
  }
  return [...(await read("raw")), ...(await read("app"))].slice(0, most)
}
