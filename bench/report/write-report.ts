// Puts what was measured into docs/benchmarks.md, between the markers of its benchmark; all other text is left as it is.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const reportFile = join(import.meta.dirname, "..", "..", "docs", "benchmarks.md")

export function writeReport(name: string, measured: string): void {
  const text = readFileSync(reportFile, "utf8")
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no markers for ${name}`)
  writeFileSync(reportFile, `${text.slice(0, from + begin.length)}\n${measured}\n${text.slice(to)}`)
}
