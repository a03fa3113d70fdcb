// The secondary indexes of partitions, as the catalogue lists them. Each partition has its own: Postgres would build
// an index of the parent on every new partition at once, and a bulk load could not defer it.

import type { BlockRange } from "../domain/block-range.js"
import { type RangeSet, rangeSet } from "../domain/range-set.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import type { PartitionedTable, PartitionIndex } from "./partitioned-table.js"

export interface PartitionIndexState {
  readonly table: PartitionedTable
  readonly partition: string
  readonly range: BlockRange
  readonly index: PartitionIndex
  /** invalid: its build is not finished, or was interrupted. */
  readonly state: "valid" | "invalid" | "absent"
  /** An index of this partition is being built right now, by any session. */
  readonly building: boolean
}

interface PartitionRow {
  schema: string
  table: string
  partition: string
  bound: string
  indexes: Record<string, boolean>
  building: boolean
}

/** Every index that every partition of these tables should have. */
export async function readPartitionIndexes(
  sql: Queryable,
  tables: readonly PartitionedTable[],
): Promise<PartitionIndexState[]> {
  const indexed = tables.filter(({ indexes = [] }) => indexes.length > 0)
  if (indexed.length === 0) return []
  const { rows } = await sql.query<PartitionRow>(
    `select namespace.nspname as schema, parent.relname as "table", child.relname as partition,
       pg_get_expr(child.relpartbound, child.oid) as bound,
       coalesce((select jsonb_object_agg(class.relname, index.indisvalid and index.indisready)
         from pg_index as index join pg_class as class on class.oid = index.indexrelid
         where index.indrelid = child.oid), '{}') as indexes,
       exists (select 1 from pg_stat_progress_create_index as progress
         where progress.datname = current_database() and progress.relid = child.oid) as building
     from pg_inherits
       join pg_class as child on child.oid = inhrelid
       join pg_class as parent on parent.oid = inhparent
       join pg_namespace as namespace on namespace.oid = parent.relnamespace
     where (namespace.nspname, parent.relname) in (select * from unnest($1::name[], $2::name[]))
     order by 1, 2, child.oid`,
    [indexed.map(({ schema }) => schema), indexed.map(({ table }) => table)],
  )
  return rows.flatMap((row) => {
    const table = indexed.find((one) => one.schema === row.schema && one.table === row.table)!
    const { partition, building } = row
    const range = partitionBounds(row.bound)
    return (table.indexes ?? []).map((index): PartitionIndexState => {
      const valid = row.indexes[indexName(partition, index)]
      const state = valid === undefined ? "absent" : valid ? "valid" : "invalid"
      return { table, partition, range, index, state, building }
    })
  })
}

/** The heights at which a table has all its indexes: where a query that needs them can answer. */
export async function indexedHeights(sql: Queryable, table: PartitionedTable): Promise<RangeSet> {
  const states = await readPartitionIndexes(sql, [table])
  const lacking = new Set(states.filter(({ state }) => state !== "valid").map(({ partition }) => partition))
  return rangeSet(states.filter(({ partition }) => !lacking.has(partition)).map(({ range }) => range))
}

export function createIndexSql(
  wanted: Pick<PartitionIndexState, "partition" | "index"> & { schema: string; concurrently: boolean },
): string {
  const { schema, partition, index, concurrently } = wanted
  const name = quoteIdentifier(indexName(partition, index))
  const on = quoteIdentifier(schema, partition)
  return `create index ${concurrently ? "concurrently " : ""}${name} on ${on} (${index.on})`
}

export function indexName(partition: string, { name }: PartitionIndex): string {
  const whole = `${partition}_${name}`
  // Postgres would truncate it, and the catalogue would not list it under this name.
  if (whole.length > 63) throw new RangeError(`the index name ${whole} is longer than 63 characters`)
  return whole
}

/** Of a partition by height, as the catalogue prints its bound. */
export function partitionBounds(bound: string): BlockRange {
  const [, from, to] = /^FOR VALUES FROM \('?(\d+)'?\) TO \('?(\d+)'?\)$/.exec(bound) ?? []
  if (from === undefined || to === undefined) throw new Error(`not a partition by height: ${bound}`)
  return { from: Number(from), to: Number(to) }
}
