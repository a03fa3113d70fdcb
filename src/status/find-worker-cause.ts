// Causes that lie with workers of the app database: nobody runs them, one does not move, one is paused. Each names the worker where
// it begins; those that only wait for it are named as waiting.

import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import type { CauseFinder } from "./cause-finding.js"
import type { ChainStatus, WorkerStatus } from "./chain-status.js"
import { heldUpBy } from "./held-up-by.js"

const derived = ({ workers }: ChainStatus): readonly WorkerStatus[] =>
  workers.filter(({ worker }) => worker !== rawIngester)

const working = ({ processes }: ChainStatus) => processes.filter(({ roles }) => roles.includes("work"))

export const noWorkProcess: CauseFinder = (status) => {
  const waiting = derived(status).filter((worker) => countHeights(worker.doable) > 0 && !isPaused(worker))
  if (waiting.length === 0 || working(status).length > 0) return undefined
  return {
    cause: "NO_PROCESS",
    message: `no process with the role work runs for ${status.name}, so ${named(waiting.map(({ worker }) => worker))} cannot go on`,
    doing: "blocks are stored all the same, and derived once somebody does",
    todo: "start one: `tidemark start --roles work`, with the same config or database URLs",
  }
}

/** A worker that no process may run, as the processes say; most telling before one that just does not move. */
export const workerRefused: CauseFinder = (status) => {
  const processes = working(status)
  const refused = processes.flatMap(({ state }) => state.idleWorkers ?? [])
  // Another process may well have the declaration that fits.
  const nobodys = refused.find(({ worker }) =>
    processes.every(({ state }) => state.idleWorkers?.some((idle) => idle.worker === worker)),
  )
  if (!nobodys) return undefined
  return {
    cause: "WORKER_STUCK",
    message: `${nobodys.message}${waitText(status, nobodys.worker)}`,
    doing: "its tables stay as they are; all workers that do not depend on it go on",
    todo: `run the declaration its tables were made for, or derive it anew: stop the processes that work, \`tidemark workers rederive ${nobodys.worker}\`, start them`,
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
  const since = movedAgoMs === null ? "has not begun" : `has not moved for ${seconds(movedAgoMs)}`
  return {
    cause: "WORKER_STUCK",
    message: `${worker} has ${countHeights(stuck.doable)} blocks to derive and ${since}${failed ? `: ${failed.lastErrorCode ?? "BUG"}, ${failed.lastError}` : ""}${waitText(status, worker)}`,
    doing: "failed ranges are tried again, ever more slowly; workers that do not depend on it go on",
    todo: `\`tidemark errors list --worker ${worker}\` and the log of the processes that work say why`,
  }
}

/** On purpose, so never a stall; but the watermark stands still, and whoever looks should know why. */
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
    doing: "everything else goes on; the watermark stays where the paused worker is",
    todo: `\`tidemark workers resume ${worker}\``,
  }
}

const isPaused = ({ registration }: WorkerStatus): boolean => registration?.paused === true

const isHeld = ({ leases }: WorkerStatus): boolean => leases.active > 0

/** Who cannot go on because this worker does not. */
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

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
