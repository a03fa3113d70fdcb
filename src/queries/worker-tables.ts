// The tables of workers, a user's own among them, as lists: every column, the exact key, and the filters that an index
// answers. Read from the store, since this process may not have their declarations.

import type { Queryable } from "../postgres/transaction.js"
import type { Column, ColumnKind } from "../workers/column.js"
import { stateColumns } from "../workers/fold-plan.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"

export interface TableColumn {
  readonly name: string
  readonly kind: ColumnKind
  readonly nullable: boolean
}

export interface WorkerTableInfo {
  readonly table: string
  readonly worker: string
  readonly kind: "events" | "state"
  readonly columns: readonly TableColumn[]
  readonly key: readonly string[]
  /** The key and the indexes: the leading columns of one may be filtered by. */
  readonly indexes: readonly (readonly string[])[]
}

/** Those whose workers have run here, in the order of their names. */
export async function readWorkerTables(tx: Queryable, registry: WorkerRegistry): Promise<readonly WorkerTableInfo[]> {
  const indexes = await readIndexes(tx)
  return registry.workers
    .flatMap((worker) =>
      Object.keys(worker.tables).map((table) => ({
        ...shapeOf(registry, worker, table),
        ...{ table, worker: worker.name, indexes: indexes.get(table) ?? [] },
      })),
    )
    .sort((a, b) => (a.table < b.table ? -1 : 1))
}

function shapeOf(
  registry: WorkerRegistry,
  worker: WorkerDefinition,
  name: string,
): Pick<WorkerTableInfo, "kind" | "columns" | "key"> {
  const table = worker.tables[name]!
  if (table.kind === "state") {
    const plan = registry.folds.get(worker.name)!.find((one) => one.table === name)!
    return { kind: "state", columns: stateColumns(plan), key: plan.key.map((column) => column.name) }
  }
  const columns = Object.entries(table.columns as Readonly<Record<string, Column>>)
  // The store does not keep their order.
  const place = (name: string): number => (table.key.includes(name) ? table.key.indexOf(name) : table.key.length)
  const named = columns.map(([column, one]) => ({ name: column, ...one }))
  return { kind: "events", columns: named.sort((a, b) => place(a.name) - place(b.name)), key: table.key }
}

/** Those that are built and whole, of plain columns. */
async function readIndexes(tx: Queryable): Promise<ReadonlyMap<string, readonly string[][]>> {
  const { rows } = await tx.query<{ table: string; columns: string[] }>(
    `select class.relname as table, array_agg(attname::text order by place) as columns
     from pg_index join pg_class as class on class.oid = indrelid
     join pg_namespace on pg_namespace.oid = class.relnamespace
     join pg_class as index on index.oid = indexrelid join pg_am on pg_am.oid = index.relam
     cross join lateral unnest(indkey::int2[]) with ordinality as key (number, place)
     join pg_attribute on attrelid = indrelid and attnum = number
     where nspname = $1 and not class.relispartition and amname = 'btree'
       and indisvalid and indisready and indexprs is null and indpred is null
     group by class.relname, indexrelid order by 1, indexrelid`,
    [workerSchema],
  )
  const indexes = new Map<string, string[][]>()
  for (const { table, columns } of rows) indexes.set(table, [...(indexes.get(table) ?? []), columns])
  return indexes
}
