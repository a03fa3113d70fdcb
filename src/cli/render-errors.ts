// `tidemark errors list` as people see it. Pure.

import type { StoredError } from "../indexing-errors/list-errors.js"
import { printable } from "../platform/printable.js"
import { formatHeight, shorten, wrap } from "./format-values.js"
import { createPaint } from "./paint.js"

const maxLines = 3

export function renderErrors(
  { chain, open, errors }: { chain: string; open: ReadonlyMap<string, number>; errors: readonly StoredError[] },
  { columns, colour }: { columns: number; colour: boolean },
): string {
  const paint = createPaint(colour)
  const total = [...open.values()].reduce((sum, count) => sum + count, 0)
  const byWorker = [...open].sort(([, a], [, b]) => b - a).map(([worker, count]) => `${worker} ${formatHeight(count)}`)
  const head = total === 0 ? "no error is open" : `${formatHeight(total)} open: ${printable(byWorker.join(", "))}`
  const lines = errors.flatMap((error) => {
    const look = error.resolved ? paint.dim : error.severity === "FATAL" ? paint.bad : paint.busy
    const place = [
      `block ${formatHeight(error.height)}`,
      ...(error.transactionId ? [error.transactionId] : []),
      `${error.updatedAt.toISOString().slice(0, 19).replace("T", " ")} UTC`,
      ...(error.seen > 1 ? [`${formatHeight(error.seen)} times`] : []),
      ...(error.resolved ? ["resolved"] : []),
    ].join("  ")
    const message = wrap(printable(error.message), columns - 4)
    const shown = message.slice(0, maxLines)
    if (message.length > maxLines) shown[maxLines - 1] = shorten(`${shown[maxLines - 1]} …`, columns - 4)
    const title = look(`${error.severity.padEnd(5)} ${error.worker}`)
    return [
      `  ${title}  ${paint.dim(shorten(place, columns - error.worker.length - 10))}`,
      ...[...shown, ...(error.rawRef ? [paint.dim(shorten(printable(error.rawRef), columns - 4))] : [])].map(
        (line) => `    ${line}`,
      ),
    ]
  })
  return `${[`${paint.strong(chain)}  ${shorten(head, columns - chain.length - 2)}`, ...lines].join("\n")}\n`
}
