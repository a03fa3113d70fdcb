// What the stall doctor says: one cause, what happened to what, what is being done about it, and what a person can do.

export const stallCauses = [
  "NODE_UNREACHABLE",
  "NODE_WRONG_CHAIN",
  "NODE_LYING",
  "NODE_BEHIND",
  "RATE_LIMITED",
  "DATABASE_UNREACHABLE",
  "LEASE_STUCK",
  "DEAD_BLOCK",
  "PARENT_MISMATCH",
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
type HealthState = "ok" | "starting" | "stalled" | "degraded"

export interface Diagnosis {
  readonly state: HealthState
  readonly cause: StallCause | null
  readonly message: string
  readonly doing: string | null
  readonly todo: string | null
}

/** Before anything is known. */
export const notYetKnown: Diagnosis = {
  state: "starting",
  cause: null,
  message: "starting; nothing is known yet",
  doing: null,
  todo: null,
}

/** When the status itself cannot be read. The message names the database, without its secrets. */
export const databaseAway = (message: string): Diagnosis => ({
  state: "stalled",
  cause: "DATABASE_UNREACHABLE",
  message,
  doing: "trying again every few seconds; indexing goes on by itself when it is back, and nothing is lost",
  todo: "see whether the database server runs and can be reached from here",
})
