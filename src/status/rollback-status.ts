// The open rollback, from raw's record of it and what the processes report.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { ProcessRow, RollbackStatus } from "./chain-status.js"

export function rollbackStatus(
  intent: Pick<RollbackIntent, "id" | "from" | "to" | "reason"> | undefined,
  processes: readonly Pick<ProcessRow, "state">[],
): RollbackStatus | null {
  if (!intent) return null
  const { id, from, to, reason } = intent
  const reports = processes.flatMap(({ state }) => (state.rollback?.id === id ? [state.rollback] : []))
  const at = reports.find(({ step }) => step !== null)
  const [worst] = [...reports].sort((a, b) => b.failures - a.failures)
  return {
    from,
    to: to === Number.MAX_SAFE_INTEGER ? null : to,
    reason,
    progress: at?.step ? { step: at.step, done: at.done, total: at.total, etaMs: at.etaMs } : null,
    failures: worst?.failures ?? 0,
    error: worst?.error ?? null,
  }
}
