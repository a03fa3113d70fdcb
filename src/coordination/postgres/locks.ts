// The advisory locks of a chain, each held until the transaction ends.

import { lockClass, takeLock, tryLock } from "../../postgres/advisory-lock.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CoordinationTables } from "./coordination-tables.js"

export const chainLock = [lockClass, 1] as const

export const lockChain = (tx: Queryable, mode: "shared" | "exclusive"): Promise<void> =>
  takeLock(tx, chainLock[1], mode)

export type ElectedService =
  | "reaper"
  | "head-follower"
  | "index-builder"
  | "outbox-writer"
  | "reconciler"
  | "series-writer"

const electionLocks: Record<ElectedService, number> = {
  reaper: 16,
  "head-follower": 18,
  "index-builder": 19,
  reconciler: 20,
  "outbox-writer": 21,
  "series-writer": 22,
}

export const electionLock = (service: ElectedService): readonly [number, number] => [lockClass, electionLocks[service]]

export const winElection = (tx: Queryable, service: ElectedService): Promise<boolean> =>
  tryLock(tx, electionLocks[service])

export const claimLockClass = lockClass + 1

export async function lockClaims(
  { schema }: Pick<CoordinationTables, "schema">,
  tx: Queryable,
  workers: readonly string[],
): Promise<void> {
  // In numeric order, so that two claims that share workers never deadlock.
  await tx.query(
    `select pg_advisory_xact_lock($1, lock) from (
       select distinct hashtext(name) as lock from unnest($2::text[]) as name order by lock) as locks`,
    [claimLockClass, workers.map((name) => `${schema}.${name}`)],
  )
}
