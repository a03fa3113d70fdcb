// A process uses at most 12 database connections: 2 for services and queries (of raw 1, where 2 would cost a lane), plus 1 if
// app is another database; 1 in each database to renew leases; 2 for the head follower (its election and its work); 1 for
// each ingest lane; 2 (raw and app) for the tip and for each work lane. What is left over, and what history lanes hold, is
// lent to short tasks: building an index, the nightly check of the store, a large rollback.

import { IndexerError } from "../platform/errors.js"
import type { Role } from "./role.js"

const budget = 12

export const rawPoolSize = 2
export const appPoolSize = 1
/** Of the role serve, to each database, where there is an admin token; open while somebody acts. */
export const adminPoolSize = 2
export const renewalPoolSize = 1

export interface ConnectionUse {
  readonly roles: readonly Role[]
  readonly threads: number
  readonly workThreads: number
  /** Whether there are workers at all. */
  readonly derives: boolean
  readonly deferIndexes: boolean
  /** Raw and app are one database. */
  readonly oneDatabase: boolean
}

export interface LanePlan {
  /** For the services of raw. */
  readonly rawPoolSize: number
  /** For each ingest thread. */
  readonly ingestLanes: number
  /** For each work thread. */
  readonly workLanes: number
  /** Connections that are not in permanent use. */
  readonly spare: number
}

/** As many lanes as fit, ingest first. Throws CONFIG_INVALID if not even one of each fits. */
export function planLanes(use: ConnectionUse): LanePlan {
  const ingests = use.roles.includes("ingest")
  const works = use.derives && use.roles.includes("work")
  // Deferred indexes are built continuously, which must not pause a lane.
  const indexes = ingests && use.deferIndexes ? 1 : 0
  const renewed = use.oneDatabase ? Number(ingests || works) : Number(ingests) + Number(works)
  const standing = ({ rawPoolSize: raw, ingestLanes, workLanes }: Omit<LanePlan, "spare">): number =>
    raw +
    (use.oneDatabase ? 0 : appPoolSize) +
    renewed * renewalPoolSize +
    (ingests ? 2 + use.threads * ingestLanes : 0) +
    (works ? 2 + use.workThreads * workLanes * 2 : 0)
  const borrowed = Math.max(ingests || works ? 1 : 0, use.roles.includes("maintain") ? (use.oneDatabase ? 1 : 2) : 0)
  // One pool of two where one database holds both: services of the one would wait for those of the other.
  const sizes = use.oneDatabase ? [rawPoolSize] : [rawPoolSize, 1]
  const plans = [
    { ingestLanes: 2, workLanes: 2 },
    { ingestLanes: 2, workLanes: 1 },
    { ingestLanes: 1, workLanes: 2 },
    { ingestLanes: 1, workLanes: 1 },
  ]
    .flatMap((lanes) => sizes.map((rawPoolSize) => ({ ...lanes, rawPoolSize })))
    .map((plan) => ({ ...plan, spare: budget - standing(plan) }))
  const plan = plans.find(
    ({ spare, ingestLanes }) => spare >= indexes && spare + (ingests ? use.threads * ingestLanes : 0) >= borrowed,
  )
  if (plan) return plan
  const needed = Math.max(budget + 1, budget - plans.at(-1)!.spare)
  throw new IndexerError(
    "CONFIG_INVALID",
    `THREADS=${use.threads} and WORK_THREADS=${use.workThreads} with the roles ${use.roles.join(", ")} take ` +
      `${needed} database connections, and a process keeps to ${budget}: use fewer threads, or start a process for ` +
      "--roles ingest and one for --roles work",
  )
}

interface HeldUse extends Pick<ConnectionUse, "roles" | "oneDatabase"> {
  readonly apiConnections: number
}

/** That a process has for its roles, with those that it may open for answers. Short tasks borrow the spare ones. */
export const heldConnections = (
  { spare }: Pick<LanePlan, "spare">,
  { roles, apiConnections, oneDatabase }: HeldUse,
): number => budget - spare + (roles.includes("serve") ? apiConnections * (oneDatabase ? 1 : 2) : 0)
