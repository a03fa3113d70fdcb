// The stall doctor's judgement. Pure, and from the status alone, so that every process and the CLI name the same cause.

import { countHeights } from "../domain/range-set.js"
import type { CauseFinding, CauseLimits } from "./cause-finding.js"
import type { ChainStatus } from "./chain-status.js"
import type { Diagnosis } from "./diagnosis.js"
import { findCause, findWorry } from "./find-cause.js"

export function diagnose(status: ChainStatus, options: CauseLimits): Diagnosis {
  const { stallAfterMs } = options
  const ingesting = status.processes.filter(({ roles }) => roles.includes("ingest"))
  if (ingesting.length === 0) return verdict("stalled", findCause(status, options))
  const upMs = Math.max(...ingesting.map((process) => process.upMs))
  const stalledMs = stalledForMs(status, { upMs, workForMs: options.workForMs ?? status.workForMs })
  if (stalledMs > stallAfterMs) return verdict("stalled", findCause(status, options))
  const worry = findWorry(status, options)
  if (worry) return verdict("degraded", worry)
  if (isStarting(status, { upMs, stallAfterMs })) {
    return said("starting", `${status.name} is starting: nothing was stored since ${seconds(upMs)} ago`)
  }
  return said("ok", describeProgress(status))
}

/** Heights that somebody could do now: DEAD ones and paused workers wait for a person, and are named apart. */
export const openWork = ({ workers }: ChainStatus): number =>
  workers
    .filter(({ registration }) => registration?.paused !== true)
    .reduce((sum, { doable }) => sum + countHeights(doable), 0)

function stalledForMs(status: ChainStatus, { upMs, workForMs }: { upMs: number; workForMs: number | null }): number {
  // Nobody heard the head: what there is to do is not known, and that is a stall too.
  const headSilentMs = Math.min(upMs, status.headAgeMs ?? upMs)
  if (openWork(status) === 0 || workForMs === null) return headSilentMs
  // A slow chain's last block may be an hour old: what counts is since when there has been something to do.
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

const verdict = (state: "stalled" | "degraded", { cause, message, doing, todo }: CauseFinding): Diagnosis => ({
  state,
  cause,
  message,
  doing,
  todo,
})

const said = (state: "ok" | "starting", message: string): Diagnosis => ({
  state,
  cause: null,
  message,
  doing: null,
  todo: null,
})

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
