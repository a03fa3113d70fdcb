// Commit: data, then the proofs, then coverage, in one READ COMMITTED transaction. Every test is a statement of its own
// after the one that took the lock it relies on: within one statement the snapshot is older than the lock it waited for.

import { formatRange } from "../../domain/block-range.js"
import { intersect } from "../../domain/range-set.js"
import { IndexerError } from "../../platform/errors.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CommitWork, Lease } from "../lease-store.js"
import { type CoordinationTables, chainLock } from "./coordination-tables.js"

export async function commitRange<Tx extends Queryable>(
  tables: CoordinationTables,
  tx: Tx,
  { lease, work }: { lease: Lease; work: CommitWork<Tx> },
): Promise<void> {
  await work.write(tx)
  await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
  await refuseIfRolledBack(tables, tx, lease)
  await refuseIfUncovered(tables, tx, { lease, dependencies: work.dependencies ?? [] })
  await completeLease(tables, tx, lease)
  // The hot row is locked last, and held only until the commit.
  const {
    rows: [own],
  } = await tx.query<{ heights: string; skipped: string }>(
    `select heights::text as heights, skipped::text as skipped from ${tables.coverage} where worker_type = $1 for update`,
    [lease.workerType],
  )
  if (!own) throw new Error(`the worker ${lease.workerType} is not registered`)
  for (const covered of [own.heights, own.skipped]) {
    if (intersect(parseMultirange(covered), [lease.range]).length > 0) {
      throw new Error(`${lease.workerType} ${formatRange(lease.range)} meets its own coverage`)
    }
  }
  await work.check?.(tx)
  await tx.query(
    `update ${tables.coverage} set heights = heights + int8multirange(int8range($2::int8, $3::int8)), updated_at = clock_timestamp()
     where worker_type = $1`,
    [lease.workerType, lease.range.from, lease.range.to],
  )
}

async function refuseIfRolledBack(tables: CoordinationTables, tx: Queryable, lease: Lease): Promise<void> {
  const {
    rows: [rollback],
  } = await tx.query<{ epoch: string; removed: string }>(
    `select epoch, removed::text as removed from ${tables.rollbacks}
     where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1`,
    [lease.chainEpoch, lease.range.from, lease.range.to],
  )
  if (rollback) {
    throw new IndexerError(
      "ROLLED_BACK",
      `the chain was rolled back (${rollback.removed}, epoch ${rollback.epoch}) after ${formatRange(lease.range)} was read`,
    )
  }
  if (tables.schema !== "raw") return
  const {
    rows: [intent],
  } = await tx.query<{ removed: string }>(
    `select intent_removed::text as removed from ${tables.chainState} where intent_removed && int8range($1::int8, $2::int8)`,
    [lease.range.from, lease.range.to],
  )
  if (intent) {
    throw new IndexerError(
      "ROLLBACK_OPEN",
      `a rollback of ${intent.removed} is under way, ${formatRange(lease.range)} waits`,
    )
  }
}

async function refuseIfUncovered(
  tables: CoordinationTables,
  tx: Queryable,
  { lease, dependencies }: { lease: Lease; dependencies: readonly string[] },
): Promise<void> {
  if (dependencies.length === 0) return
  const { rows: covered } = await tx.query<{ worker_type: string }>(
    `select worker_type from ${tables.coverage}
     where worker_type = any ($1) and heights + skipped @> int8range($2::int8, $3::int8)`,
    [dependencies, lease.range.from, lease.range.to],
  )
  if (covered.length < dependencies.length) {
    throw new IndexerError(
      "NOT_COVERED",
      `${dependencies.join(", ")} no longer cover ${formatRange(lease.range)}`,
    )
  }
}

async function completeLease(tables: CoordinationTables, tx: Queryable, lease: Lease): Promise<void> {
  const { rows: completed } = await tx.query(
    `update ${tables.leases}
     set status = 'COMPLETED', completed_at = clock_timestamp(), last_error = null, last_error_code = null, last_error_at = null
     where id = $1 and epoch = $2 and status = 'ACTIVE' and from_height = $3 and to_height = $4
     returning 1 as done`,
    [lease.id, lease.epoch, lease.range.from, lease.range.to],
  )
  if (completed.length !== 1) {
    throw new IndexerError(
      "LEASE_LOST",
      `the lease on ${formatRange(lease.range)} is no longer held; nothing was written`,
    )
  }
}
