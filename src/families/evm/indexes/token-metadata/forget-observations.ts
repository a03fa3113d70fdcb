// What a rollback does to observations: they were made at a block, and go with it.

import type { BlockRange } from "../../../../domain/block-range.js"
import { allAnswered } from "../../../../postgres/all-answered.js"
import { printRange } from "../../../../postgres/multirange.js"
import type { Queryable } from "../../../../postgres/transaction.js"

/**
 * For a rollback, in its transaction and under its lock: what was observed at removed heights is forgotten and asked again, and contracts
 * that appear there anew will be queued.
 */
export async function forgetObservations(
  tx: Queryable,
  { removed }: { readonly removed: BlockRange },
): Promise<void> {
  await allAnswered([
    tx.query("update app.token_metadata_queue set heights = heights - $1::int8range::int8multirange", [
      printRange(removed),
    ]),
    tx.query(
      `update app.token_metadata
        set status = 'queued', asked_at_height = null, block_hash = null, name_raw = null, name = null, symbol_raw = null,
            symbol = null, decimals_raw = null, decimals = null, truncated = false, attempts = 0, next_attempt_at = now()
      where asked_at_height >= $1 and asked_at_height < $2`,
      [removed.from, removed.to],
    ),
  ])
}
