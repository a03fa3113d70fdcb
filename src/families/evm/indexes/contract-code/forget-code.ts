// What a rollback does to observed code: it was seen at a block, and goes with it. The code itself stays, under its own hash.

import type { BlockRange } from "../../../../domain/block-range.js"
import { allAnswered } from "../../../../postgres/all-answered.js"
import { printRange } from "../../../../postgres/multirange.js"
import type { Queryable } from "../../../../postgres/transaction.js"
import { metaWorker } from "../meta/meta-worker.js"

/** For a rollback, in its transaction and under its lock: asked again, and contracts that are deployed there anew will be queued. */
export async function forgetCode(
  tx: Queryable,
  { removed }: { readonly removed: BlockRange },
): Promise<void> {
  await allAnswered([
    tx.query("update app.contract_code_queue set heights = heights - $1::int8range::int8multirange", [
      printRange(removed),
    ]),
    tx.query(
      `update app.contract_code_hashes
        set status = 'queued', asked_at_height = null, block_hash = null, code_hash = null, code_bytes = null, attempts = 0,
            next_attempt_at = now()
      where asked_at_height >= $1 and asked_at_height < $2`,
      [removed.from, removed.to],
    ),
  ])
}

/** For a worker that is derived anew: its contracts are looked at once more. What was answered since their deployment stays. */
export async function forgetCodeQueue(tx: Queryable, workers: readonly string[]): Promise<void> {
  if (workers.includes(metaWorker.name)) await tx.query("update app.contract_code_queue set heights = '{}'")
}
