// Opens a rollback for an operator. Intent and audit row commit together, since any process may finish it from then
// on.

import type { AuditEntry } from "../coordination/coverage-ledger.js"
import type { OpenIntentRequest } from "../coordination/rollback-ledger.js"
import type { RollbackDeps } from "./rollback-deps.js"

// The transaction holds a row that commits above finality need.
const limits = { idleInTransactionTimeoutMs: 10_000 } as const

/** Returns false, and changes nothing, if another rollback is open or was finished since the request's epoch. */
export function openAuditedIntent(
  { raw, ledgers }: Pick<RollbackDeps, "raw" | "ledgers">,
  request: OpenIntentRequest,
  audit: AuditEntry,
): Promise<boolean> {
  return raw.transaction(async (tx) => {
    const opened = await ledgers.raw.openIntent(tx, request)
    if (opened) await ledgers.raw.writeAudit(tx, audit)
    return opened
  }, limits)
}
