// The table that a run ends with, as docs/reliability.md keeps it.

import type { Facts, Outcome } from "./scenario.js"

export interface Result {
  readonly name: string
  readonly fault: string
  readonly seed: number
  readonly seconds: number
  readonly outcome?: Outcome
  /** Why it could not be run here. */
  readonly skipped?: string
  readonly failed?: string
}

const head = ["scenario", "fault", "times", "compared", "result", "recovery", "seed", "took"]

export function formatSummary(results: readonly Result[]): string {
  const rows = results.map(({ name, fault, seed, seconds, ...result }) => [
    name,
    fault,
    String(result.outcome?.times ?? 0),
    result.outcome?.compared ?? "",
    verdict(result),
    result.outcome?.recovery ?? "",
    String(seed),
    `${seconds} s`,
  ])
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

const verdict = ({ outcome, skipped }: Pick<Result, "outcome" | "skipped">): string =>
  outcome ? "passed" : skipped ? `not run: ${skipped}` : "FAILED"

export const formatFacts = (facts: Facts): string =>
  Object.entries(facts)
    .map(([fact, value]) => `  ${fact.padEnd(24)} ${value}`)
    .join("\n")
