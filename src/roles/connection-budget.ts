// A process keeps to 12 database connections, whatever it does: 2 for services and answers and 1 to the app database; for
// the head follower 2 (its election and its work); for each ingest thread one to renew leases and one a lane; for the tip
// and for each lane that derives 2 (raw and app); one while an index is made. Two more in one process of all, for the
// minutes of the nightly look over the store.

import { IndexerError } from "../platform/errors.js"
import type { Role } from "./role.js"

const budget = 12

export const rawPoolSize = 2
export const appPoolSize = 1

export interface ConnectionUse {
  readonly roles: readonly Role[]
  readonly threads: number
  readonly workThreads: number
  /** Whether there are workers at all. */
  readonly derives: boolean
  readonly deferIndexes: boolean
}

export interface LanePlan {
  /** For each ingest thread. */
  readonly ingestLanes: number
  /** For each work thread. */
  readonly workLanes: number
}

/** As many lanes as fit, ingest first. Throws CONFIG_INVALID where not even one of each does. */
export function planLanes(use: ConnectionUse): LanePlan {
  const ingests = use.roles.includes("ingest")
  const works = use.derives && use.roles.includes("work")
  const connections = ({ ingestLanes, workLanes }: LanePlan): number =>
    rawPoolSize +
    appPoolSize +
    (ingests ? 2 + use.threads * (1 + ingestLanes) : 0) +
    (ingests && use.deferIndexes ? 1 : 0) +
    (works ? 2 + use.workThreads * workLanes * 2 : 0)
  const plans = [
    { ingestLanes: 2, workLanes: 2 },
    { ingestLanes: 2, workLanes: 1 },
    { ingestLanes: 1, workLanes: 2 },
    { ingestLanes: 1, workLanes: 1 },
  ]
  const plan = plans.find((candidate) => connections(candidate) <= budget)
  if (plan) return plan
  throw new IndexerError(
    "CONFIG_INVALID",
    `THREADS=${use.threads} and WORK_THREADS=${use.workThreads} with the roles ${use.roles.join(", ")} take ${connections(plans.at(-1)!)} database connections, and a process keeps to ${budget}: use fewer threads, or start a process for --roles ingest and one for --roles work`,
  )
}
