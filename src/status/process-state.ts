// What a process reports of itself every few seconds in raw.processes.state: for people, other processes' status and
// the stall doctor. No decision of the protocol reads it.

import type { RollbackState } from "../coordination/rollback-state.js"
import type { ProviderHealth } from "../source/block-source.js"
import type { MethodCalls } from "../source/call-tally.js"

export interface FaultState {
  readonly code: string
  readonly message: string
  readonly atMs: number
}

/** Of RPC_MAX_RPS: calls a second to each provider, by all processes and by this one. */
export interface RateState {
  readonly limit: number
  readonly share: number
}

/** A worker the process does not run, and why. */
interface IdleWorkerState {
  readonly worker: string
  readonly message: string
}

export interface ProcessState {
  readonly threads: number
  readonly followsHead: boolean
  readonly providers: readonly ProviderHealth[]
  /** Why nothing new is claimed, if so: "draining", "disk". */
  readonly paused: string | null
  /** The last fault of ingestion, if it is not over: cleared by the next range that succeeds. */
  readonly lastFault: FaultState | null
  /** The last time anything was stored by this process. */
  readonly lastStoredAtMs: number | null
  readonly rssBytes: number
  /** How long there has been open work, as the stall doctor of this process sees it; null: all is done. */
  readonly workForMs?: number | null
  /** What is left for the store, where this process can tell. */
  readonly freeBytes?: number | null
  /** Declared here, but the declaration does not fit the existing tables. */
  readonly idleWorkers?: readonly IdleWorkerState[]
  /** What it does with the open rollback. */
  readonly rollback?: RollbackState | null
  /** What it has asked its providers, since it started. */
  readonly calls?: readonly MethodCalls[]
  /** Null without a limit. */
  readonly rate?: RateState | null
  /** To the databases, at most. */
  readonly connections?: number | null
}

/** Tolerates what another release wrote. */
export function parseProcessState(value: unknown): ProcessState {
  const state = (typeof value === "object" && value !== null ? value : {}) as Partial<ProcessState>
  return {
    threads: typeof state.threads === "number" ? state.threads : 0,
    followsHead: state.followsHead === true,
    providers: Array.isArray(state.providers) ? state.providers.filter(isProvider) : [],
    paused: typeof state.paused === "string" ? state.paused : null,
    lastFault: isFault(state.lastFault) ? state.lastFault : null,
    lastStoredAtMs: typeof state.lastStoredAtMs === "number" ? state.lastStoredAtMs : null,
    rssBytes: typeof state.rssBytes === "number" ? state.rssBytes : 0,
    workForMs: typeof state.workForMs === "number" ? state.workForMs : null,
    freeBytes: typeof state.freeBytes === "number" ? state.freeBytes : null,
    idleWorkers: Array.isArray(state.idleWorkers) ? state.idleWorkers.filter(isIdleWorker) : [],
    rollback: isRollback(state.rollback) ? state.rollback : null,
    calls: Array.isArray(state.calls) ? state.calls.filter(isCalls) : [],
    rate: isRate(state.rate) ? state.rate : null,
    connections: typeof state.connections === "number" ? state.connections : null,
  }
}

const isProvider = (value: unknown): value is ProviderHealth =>
  typeof (value as ProviderHealth | null)?.label === "string" &&
  ["closed", "open", "half-open"].includes((value as ProviderHealth).state) &&
  isHead((value as ProviderHealth).head)

const isHead = (value: ProviderHealth["head"]): boolean =>
  value === undefined || value === null || (typeof value.height === "number" && typeof value.stillMs === "number")

const isIdleWorker = (value: unknown): value is IdleWorkerState =>
  typeof (value as IdleWorkerState | null)?.worker === "string" &&
  typeof (value as IdleWorkerState).message === "string"

const isRollback = (value: unknown): value is RollbackState => {
  const state = value as RollbackState | null | undefined
  const numbers = [state?.done, state?.total, state?.failures]
  return typeof state?.id === "string" && numbers.every((one) => typeof one === "number")
}

const isCalls = (value: unknown): value is MethodCalls => {
  const one = value as MethodCalls | null
  const numbers = [one?.calls, one?.errors, one?.bytes, one?.ms, one?.perMinute]
  return typeof one?.provider === "string" && typeof one.method === "string" && numbers.every(Number.isFinite)
}

const isRate = (value: unknown): value is RateState =>
  Number.isFinite((value as RateState | null)?.limit) && Number.isFinite((value as RateState).share)

const isFault = (value: unknown): value is FaultState =>
  typeof (value as FaultState | null)?.code === "string" &&
  typeof (value as FaultState).message === "string" &&
  typeof (value as FaultState).atMs === "number"
