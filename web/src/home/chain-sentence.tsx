// How far the chain is right, in one sentence. Where something is wrong, the doctor's words.

import type { ReactNode } from "react"
import type { ChainStatus } from "../data/status-query"
import { formatNumber } from "../parts/format-number"
import { formatDuration } from "../parts/format-time"
import { plainText } from "../parts/plain-text"

export function ChainSentence({ status }: { readonly status: ChainStatus | undefined }): ReactNode {
  if (!status) return "\u00a0"
  const { diagnosis, watermark_height: mark, history_percent: history, history_eta_ms: eta } = status
  if (diagnosis.state === "stalled" || diagnosis.state === "degraded") return plainText(diagnosis.message, 240)
  if (mark === null) return "The first blocks are being indexed."
  const below = `Everything up to ${formatNumber(mark)} is stored, checked and derived`
  if (history !== null && history < 100) {
    return `${below}. History above it fills in${eta ? `: about ${formatDuration(eta)} to go` : ""}.`
  }
  return `${below}: the whole chain.`
}
