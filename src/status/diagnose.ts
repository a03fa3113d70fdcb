// The stall doctor's judgement. Pure, and from the status alone, so that every process and the CLI name the same cause.

import { countHeights, rangeSet, subtract } from "../domain/range-set.js"
import type { ChainStatus } from "./chain-status.js"
import type { Diagnosis } from "./diagnosis.js"
import { type CauseFinding, findCause, findWorry } from "./find-cause.js"

export interface DiagnoseOptions {
  readonly stallAfterMs: number
  /** How long there has been work, where the caller has watched itself; otherwise as the processes say. */
  readonly workForMs?: number | null
}

export function diagnose(status: ChainStatus, options: DiagnoseOptions): Diagnosis {
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

/** Heights that somebody could do now: DEAD ones wait for a person, and are named apart. */
export function openWork(status: ChainStatus): number {
  return status.workers.reduce((sum, { missing, unfinished }) => {
    const dead = rangeSet(unfinished.filter((lease) => lease.status === "DEAD").map(({ range }) => range))
    return sum + countHeights(subtract(missing, dead))
  }, 0)
}

function stalledForMs(
  status: ChainStatus,
  { upMs, workForMs }: { upMs: number; workForMs: number | null },
): number {
  // Nobody heard the head: what there is to do is not known, and that is a stall too.
  const headSilentMs = Math.min(upMs, status.headAgeMs ?? upMs)
  if (openWork(status) === 0 || workForMs === null) return headSilentMs
  // A slow chain's last block may be an hour old: what counts is since when there has been something to do.
  const movedAgoMs = Math.min(
    ...status.workers.map((worker) => worker.movedAgoMs ?? Number.POSITIVE_INFINITY),
  )
  return Math.max(headSilentMs, Math.min(workForMs, movedAgoMs))
}

function isStarting(
  status: ChainStatus,
  { upMs, stallAfterMs }: { upMs: number; stallAfterMs: number },
): boolean {
  const movedSinceStart = status.workers.some(({ movedAgoMs }) => movedAgoMs !== null && movedAgoMs < upMs)
  return upMs <= stallAfterMs && !movedSinceStart && (status.head === null || openWork(status) > 0)
}

function describeProgress({ name, lag, percent }: ChainStatus): string {
  const head = lag === 0 ? "at the head" : `${lag} block${lag === 1 ? "" : "s"} behind the head`
  return percent === 100
    ? `${name} is ${head}, history is complete`
    : `${name} is ${head}, history at ${percent} %`
}

const verdict = (
  state: "stalled" | "degraded",
  { cause, message, doing, todo }: CauseFinding,
): Diagnosis => ({
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
