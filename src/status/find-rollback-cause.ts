// Causes in the open rollback: it keeps failing, or it is under way. Nothing below it stands still meanwhile.

import type { RollbackStatus } from "./chain-status.js"
import { type CauseFinder, formatSeconds } from "./diagnosis.js"

/** One failure is usual: another process has the lock, or a commit is under way. */
const failuresUntilNamed = 2

export const rollbackFailing: CauseFinder = ({ name, rollback }) => {
  if (!rollback?.error || rollback.progress || rollback.failures < failuresUntilNamed) return undefined
  const { code, message } = rollback.error
  return {
    cause: "ROLLBACK_FAILING",
    message: `${name}: the rollback ${heightsOf(rollback)} fails (${rollback.failures} times so far): ${message} (${code})`,
    doing: `it is retried every second; nothing is half removed, and blocks below ${rollback.from} continue`,
    todo: todoFor(code),
  }
}

export const rollbackRunning: CauseFinder = ({ name, rollback }) =>
  rollback
    ? {
        cause: "ROLLBACK_RUNNING",
        message: `${name}: a rollback ${heightsOf(rollback)} ${progressOf(rollback)}`,
        doing: "its blocks, and what was derived from them, are removed; then the chain's blocks are stored again",
        todo: "nothing; `tidemark rollback --cancel` cancels one that nothing has acted on",
      }
    : undefined

const heightsOf = ({ from, to }: RollbackStatus): string =>
  to === null ? `from block ${from} on` : `of blocks ${from} to ${to - 1}`

function progressOf({ progress }: RollbackStatus): string {
  if (!progress) return "is recorded and not finished"
  const { step, done, total, etaMs } = progress
  const share = total === 0 ? "" : ` ${Math.floor((done / total) * 100)} %`
  const left = etaMs === null ? "" : `, about ${formatSeconds(etaMs)} left`
  return `is under way: ${step === "app" ? "derived rows" : "blocks"}${share} of ${total} blocks${left}`
}

function todoFor(code: string): string {
  switch (code) {
    case "FOLD_DAMAGED":
      return (
        "`tidemark repair --checks folds` shows what does not match its events; with --yes it is folded again, and the " +
        "rollback goes on by itself"
      )
    case "DATABASE_CONFLICT":
      return "find the session that holds the chain's lock, or a row, for long (pg_locks, pg_stat_activity)"
    default:
      return "read the error; `tidemark rollback --cancel` cancels a rollback that nothing has acted on"
  }
}
