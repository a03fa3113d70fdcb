// What the overview of all chains says of one, and which chain comes first. Pure.

import type { ChainStatus } from "../../data/status-query"
import { formatNumber, formatPercent, plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"

type State = ChainStatus["diagnosis"]["state"]

export const stateTones = { ok: "plain", starting: "quiet", degraded: "partial", stalled: "failed" } as const

/** The worst first: what needs a person is not below what does not. */
const order: readonly State[] = ["stalled", "degraded", "starting", "ok"]
export function worstFirst(chains: readonly string[], statuses: readonly ChainStatus[]): readonly string[] {
  const rankOf = (chain: string): number => {
    const state = statuses.find((one) => one.chain === chain)?.diagnosis.state
    return state === undefined ? order.length : order.indexOf(state)
  }
  return [...chains].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Such as "3 chains: 1 stalled, 1 starting, 1 ok". */
export function chainsWords(states: readonly (State | undefined)[]): string {
  const counts = order.flatMap((state) => {
    const some = states.filter((one) => one === state).length
    return some > 0 ? [`${some} ${state}`] : []
  })
  return plural(states.length, "chain") + (counts.length > 0 ? `: ${counts.join(", ")}` : "")
}

interface ChainFigure {
  readonly name: string
  readonly value: string
  readonly tone?: "amber" | "coral"
}

const dayMs = 86_400_000

/** The first are always there, and the others where there is something to say. */
export function chainFigures(status: ChainStatus | undefined): readonly ChainFigure[] {
  const heightOf = (height: string | null | undefined): string => (height == null ? "–" : formatNumber(height))
  const figures: ChainFigure[] = [
    { name: "complete to", value: heightOf(status?.watermark_height) },
    { name: "head", value: heightOf(status?.head_height) },
    { name: "derived", value: status?.derived_percent == null ? "–" : formatPercent(status.derived_percent) },
    { name: "processes", value: status ? formatNumber(status.processes.length) : "–" },
  ]
  if (!status) return figures
  const { dead_blocks, open_errors, lag_blocks, store, halt, rollback_open } = status
  if ((lag_blocks ?? 0) > 0) figures.push({ name: "behind the head", value: plural(lag_blocks!, "block") })
  if (halt !== null) figures.push({ name: "ingestion", value: "halted", tone: "coral" })
  if (rollback_open) figures.push({ name: "rollback", value: "open", tone: "amber" })
  if (dead_blocks.length > 0) figures.push({ name: "dead", value: plural(dead_blocks.length, "block"), tone: "coral" })
  if (open_errors > 0) figures.push({ name: "errors", value: `${formatNumber(open_errors)} open`, tone: "amber" })
  const days = store.days_to_full
  if (days !== null && days < 30) figures.push({ name: "full in", value: formatDuration(days * dayMs), tone: "amber" })
  return figures
}
