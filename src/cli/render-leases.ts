// `tidemark leases list` as people see it. Pure.

import type { LeaseRow } from "../coordination/lease-store.js"
import { formatRange } from "../domain/block-range.js"
import { printable } from "../platform/printable.js"
import { formatDuration, shorten } from "./format-values.js"
import { createPaint, type Paint } from "./paint.js"

export function renderLeases(
  { chain, leases }: { chain: string; leases: readonly LeaseRow[] },
  { columns, colour }: { columns: number; colour: boolean },
): string {
  const paint = createPaint(colour)
  if (leases.length === 0) return `${paint.strong(chain)}  nothing is leased, failed or DEAD\n`
  const rows = leases.map((lease) => ({ lease, worker: lease.worker, range: formatRange(lease.range) }))
  const workerWidth = Math.max(6, ...rows.map(({ worker }) => worker.length))
  const rangeWidth = Math.max(5, ...rows.map(({ range }) => range.length))
  const lines = rows.flatMap(({ lease, worker, range }) => {
    const status = statusPaint(paint)[lease.status](lease.status.padEnd(6))
    const head = `  ${status} ${worker.padEnd(workerWidth)} ${range.padEnd(rangeWidth)} `
    // Counted without the colours.
    const room = columns - (2 + 6 + 1 + workerWidth + 1 + rangeWidth + 1)
    const error = lease.lastError ? printable(`${lease.lastErrorCode ?? "BUG"}: ${lease.lastError}`) : undefined
    return [
      `${head}${shorten(printable(about(lease)), Math.max(10, room))}`,
      ...(error ? [`         ${paint.dim(shorten(error, columns - 9))}`] : []),
    ]
  })
  return `${[paint.strong(chain), ...lines].join("\n")}\n`
}

const statusPaint = (paint: Paint): Record<LeaseRow["status"], (text: string) => string> => ({
  ACTIVE: paint.good,
  FAILED: paint.busy,
  DEAD: paint.bad,
  COMPLETED: paint.dim,
})

function about({ status, attempt, leasedBy, leasedForMs, expiresInMs, nextAttemptInMs }: LeaseRow): string {
  const attempts = `attempt ${attempt}`
  if (status === "ACTIVE") {
    const expired = expiresInMs !== null && expiresInMs < 0 ? ", expired" : ""
    return `${attempts}, ${leasedBy ?? "no process"} for ${formatDuration(leasedForMs ?? 0)}${expired}`
  }
  if (status === "DEAD") return `${attempt} attempts, waits for an operator`
  const isDue = nextAttemptInMs === null || nextAttemptInMs <= 0
  return `${attempts}, again ${isDue ? "now" : `in ${formatDuration(nextAttemptInMs)}`}`
}
