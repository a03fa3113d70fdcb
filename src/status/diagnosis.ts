// The stall doctor's answer: one cause, what happened, what is being done about it, and what a person can do.

import type { ChainStatus } from "./chain-status.js"

export const stallCauses = [
  "NODE_UNREACHABLE",
  "NODE_WRONG_CHAIN",
  "NODE_LYING",
  "NODE_BEHIND",
  "NODE_FROZEN",
  "RATE_LIMITED",
  "DATABASE_UNREACHABLE",
  "LEASE_STUCK",
  "DEAD_BLOCK",
  "PARENT_MISMATCH",
  "ROLLBACK_RUNNING",
  "ROLLBACK_FAILING",
  "REORG_HALT",
  "DISK_LOW",
  "NO_PROCESS",
  "NO_FOLLOWER",
  "WORKER_STUCK",
  "WORKER_PAUSED",
  "UNKNOWN",
] as const

export type StallCause = (typeof stallCauses)[number]

/** stalled: nothing moves. degraded: it moves, but something is wrong. starting: too early to say. */
export const healthStates = ["ok", "starting", "degraded", "stalled"] as const

export interface Diagnosis {
  readonly state: (typeof healthStates)[number]
  readonly cause: StallCause | null
  readonly message: string
  readonly doing: string | null
  readonly todo: string | null
}

export interface CauseFinding extends Omit<Diagnosis, "state"> {
  readonly cause: StallCause
}

export interface CauseLimits {
  readonly stallAfterMs: number
  /** How long there has been work, if the caller measured it itself; otherwise as the processes report. */
  readonly workForMs?: number | null
}

export type CauseFinder = (status: ChainStatus, limits: CauseLimits) => CauseFinding | undefined

export const withoutCause = (state: "ok" | "starting", message: string): Diagnosis => ({
  state,
  cause: null,
  message,
  doing: null,
  todo: null,
})

/** Before anything is known. */
export const notYetKnown = withoutCause("starting", "starting; nothing is known yet")

/** When the status itself cannot be read. The message names the database, without its secrets. */
export const databaseUnreachable = (message: string): Diagnosis => ({
  state: "stalled",
  cause: "DATABASE_UNREACHABLE",
  message,
  doing: "retrying every few seconds; indexing continues when it is back, and no data is lost",
  todo: "check that the database server runs and can be reached from here",
})

export const formatSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
