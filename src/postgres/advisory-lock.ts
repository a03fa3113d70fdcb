// Advisory locks, held until the transaction ends: session locks break under transaction pooling. A lock belongs to
// one database, and a database holds one chain, so small fixed numbers are enough.

import type { Queryable } from "./transaction.js"

/** The first number of every lock here: "tide". */
export const lockClass = 0x74696465

export async function takeLock(
  tx: Queryable,
  lock: number,
  mode: "shared" | "exclusive" = "exclusive",
): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock${mode === "shared" ? "_shared" : ""}($1, $2)`, [lockClass, lock])
}

/** False when another transaction holds it. */
export async function tryLock(tx: Queryable, lock: number): Promise<boolean> {
  const { rows } = await tx.query<{ mine: boolean }>("select pg_try_advisory_xact_lock($1, $2) as mine", [
    lockClass,
    lock,
  ])
  return rows[0]!.mine
}

const tableLocks = { workers: 2, partitions: 17 }

/** One process at a time creates tables of a kind; processes that start together would conflict. */
export const lockTables = (tx: Queryable, kind: keyof typeof tableLocks): Promise<void> =>
  takeLock(tx, tableLocks[kind])
