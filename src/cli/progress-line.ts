// One line that shows how far a chain is: redrawn at the bottom of a terminal, logged every ten seconds elsewhere.
// Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { ChainStatus } from "../status/chain-status.js"
import type { Diagnosis } from "../status/diagnosis.js"
import { drawCoverage } from "./draw-coverage.js"
import { formatDuration, formatHeight, formatPercent, formatRate, shorten } from "./format-values.js"
import { createPaint } from "./paint.js"

/** Narrower than the terminal: a line that wraps cannot be redrawn. The least important parts are left out first. */
export function progressLine(
  status: ChainStatus,
  diagnosis: Diagnosis,
  { columns, colour }: { columns: number; colour: boolean },
): string {
  const paint = createPaint(colour)
  const width = columns - 1
  const trouble = diagnosis.cause !== null
  const parts = trouble ? [`${diagnosis.state} ${diagnosis.cause}`, ...textParts(status)] : textParts(status)
  const cells = Math.max(0, Math.min(30, Math.floor(width / 3)))
  const showBar = cells >= 8
  let text = ""
  let left = width - status.name.length - (showBar ? cells + 1 : 0)
  for (const part of parts) {
    if (left < part.length + 2) break
    left -= part.length + 2
    text += `  ${part}`
  }
  const name = shorten(status.name, width)
  const bar = showBar ? ` ${drawCoverage(status, { cells, paint })}` : ""
  const said = trouble ? (diagnosis.state === "stalled" ? paint.bad(text) : paint.busy(text)) : text
  return `${paint.strong(name)}${bar}${said}`
}

/** Most important first. */
function textParts({ percent, derivedPercent, lag, head, etaMs, workers }: ChainStatus): string[] {
  const rate = ingestRate(workers)
  const filling = etaMs === null || etaMs > 0
  return [
    formatPercent(percent),
    ...(derivedPercent === null ? [] : [`derived ${formatPercent(derivedPercent)}`]),
    filling ? formatRate(rate) : "history complete",
    ...(etaMs !== null && etaMs > 0 ? [`${formatDuration(etaMs)} left`] : []),
    head === null ? "waiting for the head" : `head ${formatHeight(head)}`,
    ...(lag === null || lag === 0 ? [] : [`lag ${formatHeight(lag)}`]),
  ]
}

/** Of the raw ingester only: workers that catch up would hide it. */
const ingestRate = (workers: ChainStatus["workers"]): number =>
  workers.find(({ worker }) => worker === rawIngester)?.blocksPerSecond.last10s ?? 0

/** The same as fields, for a log line. */
export function progressFields({
  percent,
  derivedPercent,
  lag,
  head,
  watermark,
  etaMs,
  workers,
}: ChainStatus): Record<string, unknown> {
  const rate = ingestRate(workers)
  return {
    percent,
    ...(derivedPercent === null ? {} : { derivedPercent }),
    watermark,
    head,
    lag,
    blocksPerSecond: Math.round(rate * 10) / 10,
    ...(etaMs === null ? {} : { etaSeconds: Math.round(etaMs / 1_000) }),
  }
}
