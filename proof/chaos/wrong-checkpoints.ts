// The view that people are told to read, against the coverage it speaks of (I3).

import { type CoverageText, lastHeight } from "../../test/support/prefix-end.js"
import type { StoreProbe } from "../../test/support/store-probe.js"

interface CheckpointRow extends CoverageText {
  readonly worker: string
  readonly start: number
  readonly checkpoint: number | null
}

/** Of workers whose checkpoint is not the end of the stretch that holds the chain's start, or who have coverage and none. */
export async function wrongCheckpoints(
  store: Pick<StoreProbe, "rows">,
  schema: "raw" | "app",
): Promise<CheckpointRow[]> {
  const rows = await store.rows<CheckpointRow>(
    `select worker_type as worker, start_height::float8 as start, heights::text as heights, skipped::text as skipped,
       last_height::float8 as checkpoint
     from ${schema}.chain_state cross join ${schema}.coverage
     left join ${schema}.indexing_checkpoints on worker_name = worker_type order by worker_type`,
  )
  return rows.filter((row) => row.checkpoint !== lastHeight(row, row.start))
}
