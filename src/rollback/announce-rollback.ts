// Tells consumers of removed blocks that they are gone, in the transaction that removes them. They recognise a
// repetition by the id.

import type { RollbackRecord } from "../coordination/rollback-ledger.js"
import type { Queryable } from "../postgres/transaction.js"

export async function announceRollback(
  tx: Queryable,
  { id, epoch, removed }: Omit<RollbackRecord, "reason">,
): Promise<void> {
  // Cancelled.
  if (!removed) return
  const { from, to } = removed
  await tx.query(
    `insert into app.outbox (id, kind, epoch, payload) values ($1, 'rollback', $2, $3)
     on conflict (id) do nothing`,
    [
      id,
      epoch,
      JSON.stringify({
        removed_from: String(from),
        ...(to === Number.MAX_SAFE_INTEGER ? {} : { removed_to: String(to) }),
      }),
    ],
  )
}
