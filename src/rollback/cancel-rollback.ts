// Cancels the open rollback while no database has acted on it. App decides, under the exclusive chain lock under which
// step 1 runs: it records the rollback's id with nothing removed, so that step 1 finds it done. Step 2 follows what app
// has recorded, whichever process does it, and closes the intent without deleting anything.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { type BlockRange, formatRange } from "../domain/block-range.js"
import { IndexerError, isIndexerError } from "../platform/errors.js"
import { finishRollbackPatiently } from "./finish-rollback.js"
import { rollbackLimits } from "./rollback-app.js"
import type { RollbackDeps } from "./rollback-deps.js"

/** Throws NOT_FOUND where no rollback is open, ROLLBACK_STARTED where it can no longer be cancelled. */
export async function cancelRollback(deps: RollbackDeps, { actor }: { actor: string }): Promise<RollbackIntent> {
  const intent = await deps.ledgers.raw.readIntent(deps.raw)
  if (!intent) throw new IndexerError("NOT_FOUND", "no rollback is open")
  const what = `the rollback ${describeRemoved(intent)}`
  if (intent.binding) {
    throw new IndexerError(
      "ROLLBACK_STARTED",
      `${what} cannot be cancelled: it names no block that stays below it, like one that brings app in line with a raw ` +
        "database that lost commits",
    )
  }
  if (!(await recordCancelled(deps, intent, { actor, what })))
    throw new IndexerError("ROLLBACK_STARTED", `${what} has begun: app has undone its blocks, and raw follows`)
  await finishRollbackPatiently(deps)
  return intent
}

/** As people read it. */
export const describeRemoved = (range: BlockRange): string =>
  range.to === Number.MAX_SAFE_INTEGER ? `from block ${range.from} on` : `of blocks ${formatRange(range)}`

/** False if app has done its step. */
async function recordCancelled(
  { app, ledgers: { app: ledger } }: RollbackDeps,
  { id, epoch, from, to, reason }: RollbackIntent,
  { actor, what }: { actor: string; what: string },
): Promise<boolean> {
  try {
    return await app.transaction(async (tx) => {
      await ledger.lockChain(tx, "exclusive")
      const done = await ledger.findRollback(tx, id)
      if (done) return done.removed === null
      await ledger.recordRollback(tx, { id, epoch, removed: null, reason })
      await ledger.raiseEpoch(tx, epoch)
      const details = { id, removes: describeRemoved({ from, to }), reason }
      await ledger.writeAudit(tx, { actor, action: "rollback cancel", details })
      return true
    }, rollbackLimits)
  } catch (error) {
    if (!isIndexerError(error, "DATABASE_CONFLICT")) throw error
    const message = `${what} may be under way: the chain stayed locked for ${rollbackLimits.lockTimeoutMs! / 1_000} s`
    throw new IndexerError("ROLLBACK_STARTED", `${message}; check \`tidemark status\``, { cause: error })
  }
}
