// What is wrong with a store, for people and as JSON. Pure.

import type { ChainFindings } from "../operations/verify-chain.js"
import { describeRemedy, type Finding } from "../verify/finding.js"
import { createPaint } from "./paint.js"

export interface NamedFindings extends ChainFindings {
  readonly chain: string
}

export function renderFindings(named: NamedFindings, look: { colour: boolean }): string {
  const paint = createPaint(look.colour)
  const skipped = named.skipped.map(({ check, part, why }) => paint.dim(`  skipped: ${check}, ${part}: ${why}\n`))
  return `${renderResult(named, look)}${skipped.join("")}`
}

function renderResult({ chain, findings, cut }: NamedFindings, { colour }: { colour: boolean }): string {
  const paint = createPaint(colour)
  if (findings.length === 0 && cut)
    return `${paint.strong(chain)}: ${paint.busy("stopped before the end; nothing wrong was found so far")}\n`
  if (findings.length === 0) return `${paint.strong(chain)}: ${paint.good("nothing wrong was found")}\n`
  const lines = findings.flatMap(({ check, message, remedy }) => [
    `  ${paint.bad(check.padEnd(13))} ${message}`,
    `  ${" ".repeat(13)} ${paint.dim(`repair: ${describeRemedy(remedy)}`)}`,
  ])
  const count = cut ? `more than ${findings.length} findings; these are the first` : `${findings.length} findings`
  return `${paint.strong(chain)}: ${paint.bad(count)}\n${lines.join("\n")}\n`
}

/** Heights are strings, as everywhere in JSON. */
export const findingsJson = ({ chain, findings, cut, skipped }: NamedFindings): Record<string, unknown> => ({
  chain,
  clean: findings.length === 0 && !cut,
  cut,
  skipped,
  findings: findings.map(findingJson),
})

const findingJson = ({ check, table, heights, key, expected, found, message, remedy }: Finding) => ({
  check,
  table,
  ...(heights ? { from: String(heights.from), to: String(heights.to) } : {}),
  ...(key ? { key } : {}),
  ...(expected === undefined ? {} : { expected }),
  ...(found === undefined ? {} : { found }),
  message,
  repair: remedy.kind,
})
