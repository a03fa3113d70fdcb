// Whether a chain is ready for queries: what is stored and derived is close to the chain's head, and that head is
// recent. Workers that a person paused, and those that depend on them, do not count. Pure.

import type { ChainStatus } from "../status/chain-status.js"
import { formatSeconds } from "../status/diagnosis.js"
import { frozenHead } from "../status/frozen-head.js"
import { commonWatermark, heldUpBy } from "../status/measure-progress.js"
import type { ChainAnswer } from "./chain-view.js"

export interface ReadinessOptions {
  readonly readyLagBlocks: number
  /** A head older than this is not trusted. */
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
    derived_percent: status?.derivedPercent ?? null,
    paused_workers: status ? notRequired(status) : [],
    watermark_height: text(status?.watermark),
    head_height: text(status?.head),
  }
}

function whyNot(status: ChainStatus, { readyLagBlocks, maxHeadAgeMs, history }: ReadinessOptions): string | null {
  const { head, headAgeMs, lag } = status
  if (head === null || lag === null || headAgeMs === null) return "the chain's head is not known yet"
  if (headAgeMs > maxHeadAgeMs) return `the chain's head was last heard of ${formatSeconds(headAgeMs)} ago`
  const frozen = frozenHead(status)
  if (frozen) {
    const { height, stillMs } = frozen.head
    return `the head no longer moves: ${frozen.label} has been at block ${height} for ${formatSeconds(stillMs)}`
  }
  if (lag > readyLagBlocks) return `${lag} blocks behind the head; READY_LAG_BLOCKS allows ${readyLagBlocks}`
  const passed = notRequired(status)
  const required = status.workers.filter(({ worker }) => !passed.includes(worker))
  const behind = required.find((worker) => (worker.lag ?? 0) > readyLagBlocks)
  if (behind) {
    return `${behind.worker} is ${behind.lag} blocks behind the head; READY_LAG_BLOCKS allows ${readyLagBlocks}`
  }
  const watermark = commonWatermark(required)
  if (history && head - (watermark ?? status.start - 1) > readyLagBlocks) {
    const derived = status.derivedPercent === null ? "" : `, derived at ${status.derivedPercent} %`
    return `history is at ${status.percent} %${derived}; the watermark is ${watermark ?? "not set"}`
  }
  return null
}

/** Paused by a person, or waiting for one that is. */
const notRequired = ({ workers }: ChainStatus): readonly string[] =>
  heldUpBy(
    workers,
    workers.filter(({ registration }) => registration?.paused).map(({ worker }) => worker),
  )

const text = (height: number | null | undefined): string | null => (height == null ? null : String(height))
