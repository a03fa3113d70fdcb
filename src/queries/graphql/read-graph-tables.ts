// The tables of a chain as its database declares them, with the indexes that can be used: what is still being built is
// no index yet. Nothing of it is known from code, so a process that only serves knows as much as one that derives.

import type { Queryable } from "../../postgres/transaction.js"
import type { Column } from "../../workers/column.js"
import { stateColumns } from "../../workers/fold-plan.js"
import type { WorkerRegistry } from "../../workers/worker-registry.js"
import type { FamilyTable, GraphColumn, GraphTable } from "./graph-table.js"

interface StoredTable {
  /** In its own order: declarations are kept without one. */
  readonly key: readonly string[]
  readonly indexes: readonly (readonly string[])[]
}

/** By table. */
export type StoredIndexes = ReadonlyMap<string, StoredTable>

interface IndexRow {
  readonly table: string
  readonly columns: readonly string[]
  readonly is_key: boolean
}

/** Of one schema. Indexes with a condition or an expression answer other questions. */
export async function readStoredIndexes(tx: Queryable, schema: "raw" | "app"): Promise<StoredIndexes> {
  const { rows } = await tx.query<IndexRow & Record<string, unknown>>(
    `select tables.relname as table,
       (select json_agg(attribute.attname order by place)
        from unnest(index.indkey::int2[]) with ordinality as part (number, place)
        join pg_attribute as attribute on attribute.attrelid = tables.oid and attribute.attnum = part.number
       ) as columns, index.indisprimary as is_key
     from pg_class as tables
     join pg_index as index on index.indrelid = tables.oid and index.indisvalid and index.indpred is null
       and index.indexprs is null
     where tables.relnamespace = (select oid from pg_namespace where nspname = $1)
       and tables.relkind in ('r', 'p') and not tables.relispartition
     order by tables.relname, index.indexrelid`,
    [schema],
  )
  const found = new Map<string, StoredTable>()
  for (const { table, columns, is_key } of rows) {
    const { key, indexes } = found.get(table) ?? { key: [], indexes: [] }
    found.set(table, is_key ? { key: columns, indexes } : { key, indexes: [...indexes, columns] })
  }
  return found
}

export function graphTables(
  { registry, indexes }: { registry: WorkerRegistry; indexes: Readonly<Record<"raw" | "app", StoredIndexes>> },
  families: readonly FamilyTable[],
): GraphTable[] {
  const upstream = (worker: string): string[] => [
    ...new Set([worker, ...(registry.worker(worker)?.dependencies ?? []).flatMap(upstream)]),
  ]
  const declared = registry.workers.flatMap(({ name: worker, tables }): FamilyTable[] => [
    ...Object.entries(tables).flatMap(([name, table]) =>
      table.kind === "events"
        ? [{ ...{ name, worker, store: "app" as const, height: "block_height" }, ...table }]
        : [],
    ),
    ...registry.folds.get(worker)!.map((plan) => ({
      ...{ name: plan.table, worker, store: "app" as const, height: undefined },
      columns: Object.fromEntries(stateColumns(plan).map(({ name, ...column }): [string, Column] => [name, column])),
    })),
  ])
  const names = new Set(declared.map(({ name }) => name))
  const added = families.filter(({ name, store, worker }) => {
    const isKept = store === "raw" || registry.worker(worker) !== undefined
    return isKept && !names.has(name)
  })
  return [...added, ...declared]
    .filter(({ store, name }) => indexes[store].has(name))
    .map(({ name, store, worker, columns, height }) => ({
      ...{ name, store, worker, height },
      ...indexes[store].get(name)!,
      workers: upstream(worker),
      columns: new Map(
        Object.entries(columns).map(([column, one]): [string, GraphColumn] => [column, named(column, one)]),
      ),
    }))
}

const named = (name: string, { kind, nullable }: Column): GraphColumn => ({ name, kind, nullable })
