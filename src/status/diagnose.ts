// The stall doctor's decision. Pure, and from the status alone, so that every process and the CLI name the same cause.

import { countHeights } from "../domain/range-set.js"
import type { ChainStatus } from "./chain-status.js"
import { type CauseLimits, type Diagnosis, formatSeconds, withoutCause } from "./diagnosis.js"
import { findCause, findWorry } from "./find-cause.js"
import { frozenHead } from "./frozen-head.js"

export function diagnose(status: ChainStatus, options: CauseLimits): Diagnosis {
  const { stallAfterMs } = options
  const ingesting = status.processes.filter(({ roles }) => roles.includes("ingest"))
  if (ingesting.length === 0) return { state: "stalled", ...findCause(status, options) }
  const upMs = Math.max(...ingesting.map((process) => process.upMs))
  const stalledMs = stalledForMs(status, { upMs, workForMs: options.workForMs ?? status.workForMs })
  const isFrozen = frozenHead(status) !== undefined && openWork(status) === 0
  if (stalledMs > stallAfterMs || isFrozen) return { state: "stalled", ...findCause(status, options) }
  const worry = findWorry(status, options)
  if (worry) return { state: "degraded", ...worry }
  if (isStarting(status, { upMs, stallAfterMs })) {
    return withoutCause(
      "starting",
      `${status.name} is starting: nothing stored in the ${formatSeconds(upMs)} it is up`,
    )
  }
  return withoutCause("ok", describeProgress(status))
}

/** Heights that could be done now. DEAD blocks and paused workers wait for a person; they are reported separately. */
export const openWork = ({ workers }: ChainStatus): number =>
  workers
    .filter(({ registration }) => registration?.paused !== true)
    .reduce((sum, { doable }) => sum + countHeights(doable), 0)

function stalledForMs(status: ChainStatus, { upMs, workForMs }: { upMs: number; workForMs: number | null }): number {
  // Without a head the open work is unknown, and that is a stall too.
  const headSilentMs = Math.min(upMs, status.headAgeMs ?? upMs)
  if (openWork(status) === 0 || workForMs === null) return headSilentMs
  // A slow chain's last block may be an hour old: what counts is how long there has been work.
  const movedAgoMs = Math.min(...status.workers.map((worker) => worker.movedAgoMs ?? Number.POSITIVE_INFINITY))
  return Math.max(headSilentMs, Math.min(workForMs, movedAgoMs))
}

function isStarting(status: ChainStatus, { upMs, stallAfterMs }: { upMs: number; stallAfterMs: number }): boolean {
  const movedSinceStart = status.workers.some(({ movedAgoMs }) => movedAgoMs !== null && movedAgoMs < upMs)
  return upMs <= stallAfterMs && !movedSinceStart && (status.head === null || openWork(status) > 0)
}

function describeProgress({ name, lag, percent, derivedPercent }: ChainStatus): string {
  const head = lag === 0 ? "at the head" : `${lag} block${lag === 1 ? "" : "s"} behind the head`
  const history = percent === 100 ? "history is complete" : `history at ${percent} %`
  const derived =
    derivedPercent === null ? "" : derivedPercent === 100 ? ", all of it derived" : `, derived ${derivedPercent} %`
  return `${name} is ${head}, ${history}${derived}`
}
