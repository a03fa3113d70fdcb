// A process keeps to 12 database connections, whatever it does: 2 for services and answers and 1 to the app database where that is
// another; one to renew leases of raw; for the head follower 2 (its election and its work); for each ingest thread one a lane; for the tip
// and for each lane that derives 2 (raw and app). What is left over, and what the lanes of history hold, is lent to what
// comes and goes: an index that is made, the nightly look over the store. A rollback takes what the services have.

import { IndexerError } from "../platform/errors.js"
import type { Role } from "./role.js"

const budget = 12

export const rawPoolSize = 2
export const appPoolSize = 1
export const renewalPoolSize = 1

export interface ConnectionUse {
  readonly roles: readonly Role[]
  readonly threads: number
  readonly workThreads: number
  /** Whether there are workers at all. */
  readonly derives: boolean
  readonly deferIndexes: boolean
  /** Raw and app in one. */
  readonly oneDatabase: boolean
}

export interface LanePlan {
  /** For each ingest thread. */
  readonly ingestLanes: number
  /** For each work thread. */
  readonly workLanes: number
  /** Connections that nobody holds all the time. */
  readonly spare: number
}

/** As many lanes as fit, ingest first. Throws CONFIG_INVALID where not even one of each does. */
export function planLanes(use: ConnectionUse): LanePlan {
  const ingests = use.roles.includes("ingest")
  const works = use.derives && use.roles.includes("work")
  // Where indexes are put off they are made all day long, which is no reason to stop a lane.
  const indexes = ingests && use.deferIndexes ? 1 : 0
  const standing = ({ ingestLanes, workLanes }: Omit<LanePlan, "spare">): number =>
    rawPoolSize +
    (use.oneDatabase ? 0 : appPoolSize) +
    (ingests ? renewalPoolSize + 2 + use.threads * ingestLanes : 0) +
    (works ? 2 + use.workThreads * workLanes * 2 : 0)
  const borrowed = Math.max(ingests ? 1 : 0, use.roles.includes("maintain") ? (use.oneDatabase ? 1 : 2) : 0)
  const plans = [
    { ingestLanes: 2, workLanes: 2 },
    { ingestLanes: 2, workLanes: 1 },
    { ingestLanes: 1, workLanes: 2 },
    { ingestLanes: 1, workLanes: 1 },
  ].map((lanes) => ({ ...lanes, spare: budget - standing(lanes) }))
  const plan = plans.find(
    ({ spare, ingestLanes }) => spare >= indexes && spare + (ingests ? use.threads * ingestLanes : 0) >= borrowed,
  )
  if (plan) return plan
  throw new IndexerError(
    "CONFIG_INVALID",
    `THREADS=${use.threads} and WORK_THREADS=${use.workThreads} with the roles ${use.roles.join(", ")} take ${Math.max(budget + 1, budget - plans.at(-1)!.spare)} database connections, and a process keeps to ${budget}: use fewer threads, or start a process for --roles ingest and one for --roles work`,
  )
}
