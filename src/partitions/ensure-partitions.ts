// Creates missing partitions for a stretch of heights, once among all processes. Each is created apart and then
// attached: CREATE … PARTITION OF would lock the parent and wait behind every open writer, ATTACH does not.

import type { BlockRange } from "../domain/block-range.js"
import { lockTables } from "../postgres/advisory-lock.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import { createIndexSql } from "./partition-indexes.js"
import type { PartitionedTable, PartitionIndex } from "./partitioned-table.js"

/**
 * Rows are only added, and new rows resemble the old ones, so statistics of two thirds of them serve as well as
 * those of nine tenths. Postgres would analyze at that rate by default, which is most of what autovacuum does while
 * a store is being filled.
 */
const analyzeScaleFactor = 0.5

const limits = { lockTimeoutMs: 5_000, idleInTransactionTimeoutMs: 10_000 } as const

export interface EnsurePartitionsOptions {
  readonly tables: readonly PartitionedTable[]
  readonly range: BlockRange
  /** Partitions wholly below this height get their indexes later, from the IndexBuilder. */
  readonly deferIndexesBelow?: number
}

/** Returns the names of the partitions it created. */
export async function ensurePartitions<Tx extends Queryable>(
  executor: SqlExecutor<Tx>,
  { tables, range, deferIndexesBelow = 0 }: EnsurePartitionsOptions,
): Promise<string[]> {
  const wanted = tables.flatMap((table) => partitionsOf(table, range))
  const missing = await absent(executor, wanted)
  if (missing.length === 0) return []
  return executor.transaction(async (tx) => {
    await lockTables(tx, "partitions")
    // Read again under the lock: another process may have created them in the meantime.
    const still = await absent(tx, missing)
    for (const partition of still) await create(tx, partition, partition.to > deferIndexesBelow)
    return still.map(({ name }) => name)
  }, limits)
}

interface Partition extends BlockRange {
  readonly schema: string
  readonly table: string
  readonly name: string
  readonly indexes: readonly PartitionIndex[]
}

function partitionsOf(
  { schema, table, blocksPerPartition, indexes = [] }: PartitionedTable,
  range: BlockRange,
): Partition[] {
  const out: Partition[] = []
  const first = Math.floor(range.from / blocksPerPartition) * blocksPerPartition
  for (let from = first; from < range.to; from += blocksPerPartition) {
    out.push({ schema, table, name: `${table}_p${from}`, from, to: from + blocksPerPartition, indexes })
  }
  return out
}

// Reads the catalogue's rows: to_regclass answers from this session's cache, which an advisory lock does not
// refresh, and would miss what another process created while this one waited for the lock.
async function absent(sql: Queryable, partitions: readonly Partition[]): Promise<Partition[]> {
  const { rows } = await sql.query<{ schema: string; name: string }>(
    `select namespace.nspname as schema, class.relname as name
     from pg_class as class join pg_namespace as namespace on namespace.oid = class.relnamespace
     where (namespace.nspname, class.relname) in (select * from unnest($1::name[], $2::name[]))`,
    [partitions.map(({ schema }) => schema), partitions.map(({ name }) => name)],
  )
  const there = new Set(rows.map(({ schema, name }) => quoteIdentifier(schema, name)))
  return partitions.filter(({ schema, name }) => !there.has(quoteIdentifier(schema, name)))
}

async function create(
  tx: Queryable,
  { schema, table, name, from, to, indexes }: Partition,
  withIndexes: boolean,
): Promise<void> {
  const parent = quoteIdentifier(schema, table)
  const partition = quoteIdentifier(schema, name)
  await tx.query(
    `create table ${partition} (like ${parent} including all)
     with (autovacuum_analyze_scale_factor = ${analyzeScaleFactor})`,
  )
  for (const index of withIndexes ? indexes : []) {
    await tx.query(createIndexSql({ schema, partition: name, index, concurrently: false }))
  }
  await tx.query(`alter table ${parent} attach partition ${partition} for values from (${from}) to (${to})`)
}
