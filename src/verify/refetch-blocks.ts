// Takes damaged or skipped raw blocks back, with all that is derived from them: a rollback of these heights alone. Ingestion then
// finds a gap there and fetches them again, against the seams on both sides.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import type { Queryable } from "../postgres/transaction.js"
import { finishRollbackPatiently, type RollbackDeps } from "../rollback/finish-rollback.js"
import { openAuditedIntent } from "../rollback/open-audited-intent.js"
import { hex } from "./raw-piece.js"

const tries = 3
const reasons = {
  repair: "repair: damaged blocks are fetched again",
  retry: "retry: a skipped block is fetched after all",
} as const

export async function refetchBlocks<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
  {
    heights,
    actor,
    action = "repair",
  }: {
    heights: BlockRange
    actor: string
    /** What a person did. */
    action?: keyof typeof reasons
  },
): Promise<void> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    // Whatever else is open comes first: there is one at a time.
    await finishRollbackPatiently(deps)
    const {
      rows: [state],
    } = await deps.raw.query<{ chain_epoch: string; below: Buffer | null }>(
      `select chain_epoch, (select hash from raw.blocks where height = $1::int8 - 1) as below from raw.chain_state`,
      [heights.from],
    )
    const request = {
      ...{ id: deps.random.uuid(), ...heights, ancestorHash: state?.below ? hex(state.below) : null },
      ...{ epoch: Number(state?.chain_epoch ?? 0), reason: `${reasons[action]}, asked for by ${actor}` },
    }
    const details = { blocks_taken_back: formatRange(heights) }
    if (!(await openAuditedIntent(deps, request, { actor, action, details }))) continue
    await finishRollbackPatiently(deps)
    return
  }
  throw new IndexerError(
    "ROLLBACK_OPEN",
    `other rollbacks are under way; nothing was done about ${formatRange(heights)}; try again`,
  )
}
