// A rollback that a person asked for: recorded together with who it was, since any process may finish it from then on.

import type { AuditEntry } from "../coordination/coverage-ledger.js"
import type { OpenIntentRequest } from "../coordination/rollback-ledger.js"
import type { Queryable } from "../postgres/transaction.js"
import type { RollbackDeps } from "./finish-rollback.js"

// It holds the row that commits above finality ask for.
const limits = { idleInTransactionTimeoutMs: 10_000 } as const

/** Returns false when another rollback is open, or was finished meanwhile: then nothing happened. */
export function openAuditedIntent<Tx extends Queryable>(
  { raw, ledgers }: Pick<RollbackDeps<Tx>, "raw" | "ledgers">,
  request: OpenIntentRequest,
  audit: AuditEntry,
): Promise<boolean> {
  return raw.transaction(async (tx) => {
    const opened = await ledgers.raw.openIntent(tx, request)
    if (opened) await ledgers.raw.writeAudit(tx, audit)
    return opened
  }, limits)
}
