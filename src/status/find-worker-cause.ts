// Causes in the workers of the app database: no process runs them, one does not move, one is paused. Each names the
// worker where it begins; those that only wait for it are named as waiting.

import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import type { ChainStatus, WorkerStatus } from "./chain-status.js"
import { type CauseFinder, formatSeconds } from "./diagnosis.js"
import { heldUpBy } from "./measure-progress.js"

const derived = ({ workers }: ChainStatus): readonly WorkerStatus[] =>
  workers.filter(({ worker }) => worker !== rawIngester)

const working = ({ processes }: ChainStatus) => processes.filter(({ roles }) => roles.includes("work"))

export const noWorkProcess: CauseFinder = (status) => {
  const waiting = derived(status).filter((worker) => countHeights(worker.doable) > 0 && !isPaused(worker))
  if (waiting.length === 0 || working(status).length > 0) return undefined
  const names = named(waiting.map(({ worker }) => worker))
  return {
    cause: "NO_PROCESS",
    message: `no process with the role work runs for ${status.name}, so ${names} cannot continue`,
    doing: "blocks are still stored, and derived once such a process runs",
    todo: "start one: `tidemark start --roles work`, with the same config or database URLs",
  }
}

/** A worker that no process can run, as the processes report. */
export const workerRefused: CauseFinder = (status) => {
  const processes = working(status)
  const refused = processes.flatMap(({ state }) => state.idleWorkers ?? [])
  // Another process may have the declaration that fits.
  const idle = refused.find(({ worker }) =>
    processes.every(({ state }) => state.idleWorkers?.some((one) => one.worker === worker)),
  )
  if (!idle) return undefined
  return {
    cause: "WORKER_STUCK",
    message: `${idle.message}${waitText(status, idle.worker)}`,
    doing: "its tables stay as they are; all workers that do not depend on it continue",
    todo:
      "run the declaration its tables were created for, or derive it again: stop the processes with the role work, " +
      `run \`tidemark workers rederive ${idle.worker}\`, and start them`,
  }
}

export const workerStuck: CauseFinder = (status, { stallAfterMs, workForMs = status.workForMs }) => {
  const upMs = Math.max(0, ...working(status).map((process) => process.upMs))
  const stuck = derived(status).find((worker) => {
    const stillMs = Math.min(upMs, workForMs ?? 0, worker.movedAgoMs ?? Number.POSITIVE_INFINITY)
    return stillMs > stallAfterMs && countHeights(worker.doable) > 0 && !isPaused(worker) && !isHeld(worker)
  })
  if (!stuck) return undefined
  const { worker, movedAgoMs, unfinished } = stuck
  const failed = unfinished.find(({ lastError }) => lastError)
  const since = movedAgoMs === null ? "has not begun" : `has not moved for ${formatSeconds(movedAgoMs)}`
  const reason = failed ? `: ${failed.lastErrorCode ?? "BUG"}, ${failed.lastError}` : ""
  const todo = countHeights(stuck.doable)
  return {
    cause: "WORKER_STUCK",
    message: `${worker} has ${todo} blocks to derive and ${since}${reason}${waitText(status, worker)}`,
    doing: "failed ranges are retried with a growing delay; workers that do not depend on it continue",
    todo: `see \`tidemark errors list --worker ${worker}\` and the logs of the processes with the role work`,
  }
}

/** Intended, so never a stall; but the watermark does not move, and the status says why. */
export const workerPaused: CauseFinder = (status) => {
  const paused = derived(status).filter(isPaused)
  const [first] = paused
  if (!first) return undefined
  const { worker, registration } = first
  const others = paused.length > 1 ? `, and ${named(paused.slice(1).map((one) => one.worker))} too` : ""
  const reason = registration?.pausedReason ? ` (${registration.pausedReason})` : ""
  return {
    cause: "WORKER_PAUSED",
    message: `${worker} is paused by a person${reason}${others}${waitText(status, worker)}`,
    doing: "everything else continues; the watermark stays where the paused worker is",
    todo: `\`tidemark workers resume ${worker}\``,
  }
}

const isPaused = ({ registration }: WorkerStatus): boolean => registration?.paused === true

const isHeld = ({ leases }: WorkerStatus): boolean => leases.active > 0

/** The workers that wait for this one. */
function waitText(status: ChainStatus, name: string): string {
  const below = heldUpBy(status.workers, [name])
  const waiting = derived(status).filter(
    ({ worker, missing }) => worker !== name && below.includes(worker) && countHeights(missing) > 0,
  )
  if (waiting.length === 0) return ""
  return `; ${named(waiting.map(({ worker }) => worker))} wait${waiting.length === 1 ? "s" : ""} for it`
}

function named(names: readonly string[]): string {
  const [first, second, ...more] = names
  if (second === undefined) return first!
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`
}
