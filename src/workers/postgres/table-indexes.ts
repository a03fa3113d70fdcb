// The declared indexes of workers' tables, as the catalogue lists them. An index that is declared after its table was
// filled is built later: on a partitioned table it starts empty and invalid on the parent, so that new partitions have
// it, and the partitions that exist follow one by one.

import { createHash } from "node:crypto"
import type { BlockRange } from "../../domain/block-range.js"
import { type RangeSet, rangeSet, subtract } from "../../domain/range-set.js"
import { partitionBounds } from "../../partitions/partition-indexes.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { indexName, type TableIndex } from "../index-name.js"
import { workerSchema } from "../worker-registry.js"

export interface LackingIndex {
  readonly index: TableIndex
  /** The partition that lacks it; undefined where the table is not partitioned. */
  readonly partition: string | undefined
  /** Heights of the partition; all where there is none. */
  readonly range: BlockRange
  /** What an interrupted build left behind. */
  readonly invalid: string | undefined
}

interface LackingRow {
  at: number
  partition: string | null
  bound: string | null
  invalid: string | null
}

const allHeights: BlockRange = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** Of tables that exist: what still has to be built. In the order given, then of creation. */
export async function readLackingIndexes(sql: Queryable, indexes: readonly TableIndex[]): Promise<LackingIndex[]> {
  if (indexes.length === 0) return []
  const { rows } = await sql.query<LackingRow & Record<string, unknown>>(
    `with wanted as (
       select at, tables.oid as relid, tables.relkind, index_name, suffix,
         (select class.oid from pg_class as class where class.relnamespace = tables.relnamespace
            and class.relname = index_name) as indexid
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality
         as declared (table_name, index_name, suffix, at)
       join pg_class as tables on tables.relname = table_name
        and tables.relnamespace = (select oid from pg_namespace where nspname = $1))
     select at::int4, null as partition, null as bound,
       case when indexid is not null then index_name end as invalid
     from wanted
     where relkind = 'r'
       and not coalesce((select indisvalid and indisready from pg_index where indexrelid = indexid), false)
     union all
     select at::int4, child.relname, pg_get_expr(child.relpartbound, child.oid),
       (select class.relname from pg_class as class join pg_index on indexrelid = class.oid
         where indrelid = child.oid and class.relname = child.relname || '_' || suffix)
     from wanted
     join pg_inherits as parts on parts.inhparent = wanted.relid
     join pg_class as child on child.oid = parts.inhrelid
     where wanted.relkind = 'p' and not exists (
       select from pg_inherits as attached join pg_index as index on index.indexrelid = attached.inhrelid
       where attached.inhparent = wanted.indexid and index.indrelid = child.oid)
     order by at, partition`,
    [workerSchema, indexes.map(({ table }) => table), indexes.map(indexName), indexes.map(suffixOf)],
  )
  return rows.map(({ at, partition, bound, invalid }) => ({
    index: indexes[at - 1]!,
    partition: partition ?? undefined,
    range: bound === null ? allHeights : partitionBounds(bound),
    invalid: invalid ?? undefined,
  }))
}

/**
 * The heights at which all of these indexes exist: where a query that needs them can answer. Heights that have no
 * partition yet are among them.
 */
export async function indexedTableHeights(sql: Queryable, indexes: readonly TableIndex[]): Promise<RangeSet> {
  const lacking = await readLackingIndexes(sql, indexes)
  return subtract([allHeights], rangeSet(lacking.map(({ range }) => range)))
}

/** Statements that build it without blocking writers; none of them may run inside a transaction. */
export function buildStatements({ index, partition, invalid }: LackingIndex): readonly string[] {
  const parent = quoteIdentifier(workerSchema, indexName(index))
  const columns = index.columns.map((name) => quoteIdentifier(name)).join(", ")
  const drop = invalid === undefined ? [] : [`drop index concurrently ${quoteIdentifier(workerSchema, invalid)}`]
  if (partition === undefined) {
    const table = quoteIdentifier(workerSchema, index.table)
    return [...drop, `create index concurrently ${quoteIdentifier(indexName(index))} on ${table} (${columns})`]
  }
  const name = `${partition}_${suffixOf(index)}`
  return [
    ...drop,
    `create index concurrently ${quoteIdentifier(name)} on ${quoteIdentifier(workerSchema, partition)} (${columns})`,
    `alter index ${parent} attach partition ${quoteIdentifier(workerSchema, name)}`,
  ]
}

/** Short, as the name of a partition may be long. */
const suffixOf = (index: TableIndex): string => createHash("sha256").update(indexName(index)).digest("hex").slice(0, 8)
