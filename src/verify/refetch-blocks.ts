// Rolls back damaged or skipped raw blocks, these heights alone, with everything derived from them. Ingestion then
// finds a gap, fetches the blocks again, and checks the seams on both sides.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { finishRollbackPatiently } from "../rollback/finish-rollback.js"
import { openAuditedIntent } from "../rollback/open-audited-intent.js"
import type { RollbackDeps } from "../rollback/rollback-deps.js"
import { hex } from "./raw-piece.js"

const tries = 3
const reasons = {
  repair: "repair: damaged blocks are fetched again",
  retry: "retry: a skipped block is fetched after all",
} as const

export async function refetchBlocks(
  deps: RollbackDeps,
  { heights, actor, action = "repair" }: { heights: BlockRange; actor: string; action?: keyof typeof reasons },
): Promise<void> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    // Only one rollback can be open at a time.
    await finishRollbackPatiently(deps)
    const {
      rows: [state],
    } = await deps.raw.query<{ chain_epoch: string; below: Buffer | null }>(
      `select chain_epoch, (select hash from raw.blocks where height = $1::int8 - 1) as below
       from raw.chain_state`,
      [heights.from],
    )
    const request = {
      id: deps.random.uuid(),
      ...heights,
      ancestorHash: state?.below ? hex(state.below) : null,
      epoch: Number(state?.chain_epoch ?? 0),
      reason: `${reasons[action]}, asked for by ${actor}`,
    }
    const details = { id: request.id, blocks_taken_back: formatRange(heights) }
    if (!(await openAuditedIntent(deps, request, { actor, action, details }))) continue
    await finishRollbackPatiently(deps)
    return
  }
  throw new IndexerError(
    "ROLLBACK_OPEN",
    `other rollbacks are in progress; nothing was done for ${formatRange(heights)}; try again`,
  )
}
