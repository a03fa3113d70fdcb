// Commit: data, then the tests, then coverage, in one READ COMMITTED transaction, for all leases of a group or none. Every
// test is a statement of its own, after the one that took the lock it relies on: within one statement the snapshot is older
// than the lock it waited for.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { intersect } from "../../domain/range-set.js"
import { IndexerError } from "../../platform/errors.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { CommitWork } from "../fenced-commits.js"
import type { Lease } from "../lease-store.js"
import type { CoordinationTables } from "./coordination-tables.js"
import { lockChain } from "./locks.js"

export async function commitGroup<Tx extends Queryable>(
  tables: CoordinationTables,
  tx: Tx,
  { leases, work }: { leases: readonly Lease[]; work: CommitWork<Tx> },
): Promise<void> {
  const range = commonRange(leases)
  const workers = leases.map(({ worker }) => worker)
  await work.write(tx)
  await lockChain(tx, "shared")
  const notedEpoch = Math.min(...leases.map(({ chainEpoch }) => chainEpoch))
  await refuseIfRolledBack(tables, tx, { range, notedEpoch })
  await refuseIfUncovered(tables, tx, {
    range,
    dependencies: [...new Set(leases.flatMap((lease) => lease.dependencies))].filter(
      (name) => !workers.includes(name),
    ),
  })
  await work.apply?.(tx)
  await completeLeases(tables, tx, leases)
  // The hot rows are locked last, and held only until the commit.
  const { rows: own } = await tx.query<{ worker_type: string; heights: string; skipped: string }>(
    `select worker_type, heights::text as heights, skipped::text as skipped from ${tables.coverage}
     where worker_type = any ($1) order by worker_type for update`,
    [workers],
  )
  for (const worker of workers) {
    const row = own.find(({ worker_type }) => worker_type === worker)
    if (!row) throw new Error(`the worker ${worker} is not registered`)
    for (const covered of [row.heights, row.skipped]) {
      if (intersect(parseMultirange(covered), [range]).length > 0) {
        throw new Error(`${worker} ${formatRange(range)} overlaps its own coverage`)
      }
    }
  }
  await work.check?.(tx)
  await tx.query(
    `update ${tables.coverage}
     set heights = heights + int8multirange(int8range($2::int8, $3::int8)), updated_at = clock_timestamp()
     where worker_type = any ($1)`,
    [workers, range.from, range.to],
  )
}

function commonRange(leases: readonly Lease[]): BlockRange {
  const [first] = leases
  if (!first || leases.some(({ range }) => range.from !== first.range.from || range.to !== first.range.to)) {
    throw new Error("a group commits one range")
  }
  return first.range
}

async function refuseIfRolledBack(
  tables: CoordinationTables,
  tx: Queryable,
  { range, notedEpoch }: { range: BlockRange; notedEpoch: number },
): Promise<void> {
  const {
    rows: [rollback],
  } = await tx.query<{ epoch: string; removed: string }>(
    `select epoch, removed::text as removed from ${tables.rollbacks}
     where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1`,
    [notedEpoch, range.from, range.to],
  )
  if (rollback) {
    throw new IndexerError(
      "ROLLED_BACK",
      `the chain was rolled back (${rollback.removed}, epoch ${rollback.epoch}) after ${formatRange(range)} was read`,
    )
  }
  if (tables.schema !== "raw") return
  const {
    rows: [state],
  } = await tx.query<{ removed: string | null; reached: boolean | null }>(
    `select intent_removed::text as removed, intent_removed && int8range($1::int8, $2::int8) as reached
     from ${tables.chainState}
     where intent_removed && int8range($1::int8, $2::int8) or compared_server <> pg_postmaster_start_time()`,
    [range.from, range.to],
  )
  if (state?.reached) {
    throw new IndexerError(
      "ROLLBACK_OPEN",
      `a rollback of ${state.removed} is in progress; ${formatRange(range)} waits`,
    )
  }
  if (state) {
    throw new IndexerError(
      "SERVER_CHANGED",
      `the raw database is on another server or was restarted; ${formatRange(range)} waits until raw is compared with app`,
    )
  }
}

async function refuseIfUncovered(
  tables: CoordinationTables,
  tx: Queryable,
  { range, dependencies }: { range: BlockRange; dependencies: readonly string[] },
): Promise<void> {
  if (dependencies.length === 0) return
  const { rows: covered } = await tx.query<{ worker_type: string }>(
    `select worker_type from ${tables.coverage}
     where worker_type = any ($1) and heights + skipped @> int8range($2::int8, $3::int8)`,
    [dependencies, range.from, range.to],
  )
  if (covered.length < dependencies.length) {
    throw new IndexerError("NOT_COVERED", `${dependencies.join(", ")} no longer cover ${formatRange(range)}`)
  }
}

async function completeLeases(tables: CoordinationTables, tx: Queryable, leases: readonly Lease[]): Promise<void> {
  const { range } = leases[0]!
  const { rows: completed } = await tx.query(
    `update ${tables.leases}
     set status = 'COMPLETED', completed_at = clock_timestamp(), last_error = null, last_error_code = null,
         last_error_at = null
     where (id, epoch) in (select * from unnest($1::int8[], $2::uuid[])) and status = 'ACTIVE'
       and from_height = $3 and to_height = $4
     returning 1 as done`,
    [leases.map(({ id }) => id), leases.map(({ epoch }) => epoch), range.from, range.to],
  )
  if (completed.length !== leases.length) {
    throw new IndexerError("LEASE_LOST", `the lease on ${formatRange(range)} is no longer held; nothing was written`)
  }
}
