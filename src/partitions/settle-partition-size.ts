// How many blocks the partitions of a store have. The catalogue keeps it: partitions that exist cannot be resized, and
// those of another size would overlap them. So a size is a setting of a new store only.

import { IndexerError } from "../platform/errors.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import { ensurePartitions } from "./ensure-partitions.js"
import { partitionBounds } from "./partition-indexes.js"
import type { PartitionedTable } from "./partitioned-table.js"

export interface PartitionSizeOptions {
  readonly tables: readonly PartitionedTable[]
  /** Undefined: what the store has, and each table's own default in a new one. */
  readonly wanted: number | undefined
  /** What the operator sets, for the message. */
  readonly setting: string
  /** Where a new store begins. */
  readonly startHeight: number
  readonly deferIndexes?: boolean
}

/** Tables in the size of this store. */
export const sizedTables = <Table extends PartitionedTable>(
  tables: readonly Table[],
  blocks: number | undefined,
): readonly Table[] => (blocks === undefined ? tables : tables.map((one) => ({ ...one, blocksPerPartition: blocks })))

/** Returns the one size of all these tables, or undefined for each table's default. Throws PARTITION_SIZE_FIXED. */
export async function settlePartitionSize<Tx extends Queryable>(
  executor: SqlExecutor<Tx>,
  { tables, wanted, setting, startHeight, deferIndexes = false }: PartitionSizeOptions,
): Promise<number | undefined> {
  let sizes = await readPartitionSizes(executor, tables)
  if (wanted !== undefined && sizes.size === 0) {
    // The first partitions fix the size for every process, before any of them stores a block.
    await ensurePartitions(executor, {
      tables: sizedTables(tables, wanted),
      range: { from: startHeight, to: startHeight + 1 },
      // The index builder builds them when it is their turn.
      ...(deferIndexes ? { deferIndexesBelow: Number.MAX_SAFE_INTEGER } : {}),
    })
    sizes = await readPartitionSizes(executor, tables)
  }
  const changed = tables.filter(({ table }) => wanted !== undefined && (sizes.get(table) ?? wanted) !== wanted)
  if (changed.length > 0) {
    const stored = changed.map(({ table }) => `${table} ${sizes.get(table)}`).join(", ")
    throw new IndexerError(
      "PARTITION_SIZE_FIXED",
      `${setting} is ${wanted}, but the partitions of this store have other sizes, in blocks: ${stored}. They stay as ` +
        `they are. Unset ${setting}, or use new databases.`,
    )
  }
  // Tables of a later release or of a new worker take the size that the others were given.
  return wanted ?? tables.map(({ table, blocksPerPartition: own }) => other(sizes.get(table), own)).find(Boolean)
}

const other = (size: number | undefined, own: number): number | undefined => (size === own ? undefined : size)

/** By table; only those that have a partition. */
async function readPartitionSizes(
  sql: Queryable,
  tables: readonly PartitionedTable[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ table: string; bound: string }>(
    `select distinct on (parent.oid) parent.relname as "table", pg_get_expr(child.relpartbound, child.oid) as bound
     from pg_inherits
       join pg_class as child on child.oid = inhrelid
       join pg_class as parent on parent.oid = inhparent
     where parent.oid = any($1::regclass[]) and parent.relkind = 'p' order by parent.oid, child.oid`,
    [tables.map(({ schema, table }) => quoteIdentifier(schema, table))],
  )
  return new Map(
    rows.map(({ table, bound }) => {
      const { from, to } = partitionBounds(bound)
      return [table, to - from]
    }),
  )
}
