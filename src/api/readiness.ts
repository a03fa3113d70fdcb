// Whether a chain may be asked: its stored head is close to the chain's, and somebody has heard of that lately. Pure.

import type { ChainStatus } from "../status/chain-status.js"
import type { ChainAnswer } from "./chain-view.js"

export interface ReadinessOptions {
  readonly readyLagBlocks: number
  /** A head older than this says nothing of the chain's head. */
  readonly maxHeadAgeMs: number
  /** `?history=1`: the watermark has to be there too. */
  readonly history: boolean
}

export function readinessOf(answer: ChainAnswer, options: ReadinessOptions) {
  const { status, stale } = answer
  const reason = stale ? stale.message : status ? whyNot(status, options) : "nothing is known yet"
  return {
    chain: answer.name,
    ready: reason === null,
    reason,
    lag_blocks: status?.lag ?? null,
    history_percent: status?.percent ?? 0,
    watermark_height: text(status?.watermark),
    head_height: text(status?.head),
  }
}

function whyNot(
  status: ChainStatus,
  { readyLagBlocks, maxHeadAgeMs, history }: ReadinessOptions,
): string | null {
  const { head, headAgeMs, lag, watermark } = status
  if (head === null || lag === null || headAgeMs === null) return "the chain's head is not known yet"
  if (headAgeMs > maxHeadAgeMs) {
    return `the chain's head was last heard of ${Math.round(headAgeMs / 1_000)} s ago`
  }
  if (lag > readyLagBlocks) return `${lag} blocks behind the head; READY_LAG_BLOCKS allows ${readyLagBlocks}`
  if (history && head - (watermark ?? status.start - 1) > readyLagBlocks) {
    return `history is at ${status.percent} %; the watermark is ${watermark ?? "not set"}`
  }
  return null
}

const text = (height: number | null | undefined): string | null => (height == null ? null : String(height))
