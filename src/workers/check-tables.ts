// Checks tables against each other: duplicate names, reads of tables that are no dependency's, clashing index names.

import { type Place, refuse } from "./check-worker.js"
import { indexName, tableIndexes } from "./index-name.js"
import { eventTables, type WorkerDefinition, type WorkerTable } from "./worker-definition.js"

export function checkTables(workers: readonly WorkerDefinition[]): void {
  const owners = new Map<string, string>()
  for (const { name, tables } of workers) {
    const counts = Object.values(tables).flatMap((table) =>
      Object.keys((table.kind === "state" && table.counts) || {}),
    )
    for (const table of [...Object.keys(tables), ...counts]) {
      const what = `is a table of ${owners.get(table)} already`
      if (owners.has(table)) throw refuse({ worker: name, table }, what, "one worker for each table")
      owners.set(table, name)
    }
  }
  for (const worker of workers) {
    checkReads(
      worker,
      workers.filter(({ name }) => worker.dependencies?.includes(name)),
    )
    for (const [table, definition] of Object.entries(worker.tables))
      checkIndexNames({ worker: worker.name, table }, definition, owners)
  }
}

function checkReads({ name, reads = [], extract }: WorkerDefinition, upstream: readonly WorkerDefinition[]): void {
  const known = upstream.flatMap(eventTables).map(([table]) => table)
  const unknown = reads.find((table) => !known.includes(table))
  if (unknown !== undefined) {
    throw refuse(
      { worker: name },
      `reads ${JSON.stringify(unknown)}, which is no event table of a dependency`,
      known.join(", ") || "none, as there is no such table",
    )
  }
  if (reads.length > 0 && !extract)
    throw refuse({ worker: name }, "reads tables but has no extract", "an extract, or no reads")
}

/** Indexes and tables share one namespace in a schema. */
function checkIndexNames(
  place: Place & { table: string },
  table: WorkerTable,
  tables: ReadonlyMap<string, string>,
): void {
  const names = new Map<string, string>()
  for (const index of tableIndexes(place.table, table)) {
    const name = indexName(index)
    const columns = index.columns.join(", ")
    const other = names.get(name)
    if (other !== undefined && other !== columns) {
      throw refuse(
        place,
        `the indexes (${other}) and (${columns}) would both be called ${name}`,
        "columns that differ when joined by underscores",
      )
    }
    if (tables.has(name))
      throw refuse(
        place,
        `the index (${columns}) would be called ${name}, like a table`,
        "another name for that table",
      )
    names.set(name, columns)
  }
}
