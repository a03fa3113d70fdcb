// No claim of these workers begins until the transaction is over, and all that were under way are there to be seen.

import type { Queryable } from "../../postgres/transaction.js"
import { type CoordinationTables, claimLockClass } from "./coordination-tables.js"

export async function lockClaims(
  { schema }: Pick<CoordinationTables, "schema">,
  tx: Queryable,
  workers: readonly string[],
): Promise<void> {
  // In the order of their numbers, so that two that share workers never wait for each other in a circle.
  await tx.query(
    `select pg_advisory_xact_lock($1, lock) from (
       select distinct hashtext(name) as lock from unnest($2::text[]) as name order by lock) as locks`,
    [claimLockClass, workers.map((name) => `${schema}.${name}`)],
  )
}
