// A report for people: a line a table, then what differs.

import type { CheckReport } from "./check-derived.js"
import type { Difference, TableReport } from "./compare-tables.js"

export function formatReport(report: CheckReport): string {
  const lines = [
    ["table", "worker", "heights", "expected", "found", "differences", "sha-256"],
    ...report.tables.map(cells),
  ]
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  const out = lines.map((line) =>
    line
      .map((cell, i) => (i >= 2 && i <= 5 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd(),
  )
  for (const { table, differences, differenceCount } of report.tables) {
    if (differenceCount === 0) continue
    out.push("", `${table}: ${differenceCount} differences, the first ${differences.length}:`)
    for (const difference of differences) out.push(`  ${describe(difference)}`)
  }
  for (const { worker, heights } of report.withoutRaw)
    out.push("", `${worker} covers heights without a raw block: ${JSON.stringify(heights)}`)
  if (report.tables.every(({ heights }) => heights === 0))
    out.push("", "no worker covers a block: nothing was checked")
  out.push("", `${report.blocks} blocks: ${report.ok ? "all tables are right" : "NOT RIGHT"}`)
  return out.join("\n")
}

const cells = (report: TableReport): string[] => [
  report.table,
  report.worker,
  String(report.heights),
  String(report.rowsExpected),
  String(report.rowsFound),
  String(report.differenceCount),
  report.expectedDigest === report.foundDigest
    ? report.foundDigest.slice(0, 16)
    : `${report.expectedDigest.slice(0, 16)} ≠ ${report.foundDigest.slice(0, 16)}`,
]

function describe({ kind, key, column, expected, found }: Difference): string {
  const parts = [kind, key, column]
  if (expected !== undefined) parts.push(`expected ${expected}`)
  if (found !== undefined) parts.push(`found ${found}`)
  return parts.filter((part) => part).join("; ")
}
