// What can be wrong between tables: a fold over rows that are not there, a read of what is no dependency's, two indexes or
// tables that would have one name.

import { type Place, refuse } from "./check-worker.js"
import type { Column } from "./column.js"
import { indexName, tableIndexes } from "./index-name.js"
import { positionOf } from "./state-columns.js"
import type {
  EventTable,
  Expression,
  FoldSource,
  StateTable,
  WorkerDefinition,
  WorkerTable,
} from "./worker-definition.js"

/** `workers` with dependencies first and each table owned once. */
export function checkTables(workers: readonly WorkerDefinition[]): void {
  const byName = new Map(workers.map((worker) => [worker.name, worker]))
  const tables = new Map(workers.flatMap(({ tables }) => Object.entries(tables)))
  for (const worker of workers) {
    const upstream = (worker.dependencies ?? []).map((name) => byName.get(name)!)
    checkReads(worker, eventTablesOf(upstream))
    const readable = eventTablesOf([worker, ...upstream])
    for (const [name, table] of Object.entries(worker.tables)) {
      const place = { worker: worker.name, table: name }
      if (table.kind === "state") checkFold(place, table, readable)
      checkIndexNames(place, table, tables)
    }
  }
}

function checkReads({ name, reads = [], extract }: WorkerDefinition, upstream: EventTables): void {
  for (const table of reads) {
    if (!upstream.has(table)) {
      throw refuse(
        { worker: name },
        `reads ${JSON.stringify(table)}, which is no event table of a dependency`,
        listed(upstream),
      )
    }
  }
  if (reads.length > 0 && !extract)
    throw refuse({ worker: name }, "reads tables but has no extract", "an extract, or no reads")
}

type EventTables = ReadonlyMap<string, EventTable>

function checkFold(place: Place, table: StateTable, readable: EventTables): void {
  for (const source of table.sources) {
    const from = readable.get(source.table)
    if (!from) {
      throw refuse(
        place,
        `folds ${JSON.stringify(source.table)}, which is no event table of the worker or of a dependency`,
        listed(readable),
      )
    }
    checkSource(place, { table, source, from })
  }
  for (const of of positionOf(table)) checkPosition(place, { table, of, readable })
}

function checkSource(
  place: Place,
  { table, source, from }: { table: StateTable; source: FoldSource; from: EventTable },
): void {
  const keys = Object.keys(table.key)
  const given = Object.keys(source.key)
  if (keys.length !== given.length || !keys.every((key) => given.includes(key))) {
    throw refuse(
      place,
      `the source ${source.table} has the key (${given.join(", ")})`,
      `an expression for each of (${keys.join(", ")})`,
    )
  }
  const unset = Object.keys(source.set ?? {}).find((column) => !Object.hasOwn(table.columns, column))
  if (unset !== undefined) {
    throw refuse(place, `the source ${source.table} sets ${unset}`, Object.keys(table.columns).join(", "))
  }
  const named = [...Object.values(source.key), ...Object.values(source.set ?? {})].flatMap(columnOf)
  const unknown = [...named, ...Object.keys(source.where ?? {})].find(
    (column) => !Object.hasOwn(from.columns, column),
  )
  if (unknown !== undefined) {
    throw refuse(
      place,
      `the source ${source.table} has no column ${unknown}`,
      Object.keys(from.columns).join(", "),
    )
  }
}

const columnOf = (expression: Expression): string[] => {
  if (typeof expression === "string") return [expression]
  if ("negate" in expression) return [expression.negate]
  return "day" in expression ? [expression.day] : []
}

/** Rows of several tables are compared with each other, so each has to have the same place columns. */
function checkPosition(
  place: Place,
  { table, of, readable }: { table: StateTable; of: string; readable: EventTables },
): void {
  const seen = table.sources.filter((source) => source.seen !== false)
  if (seen.length === 0)
    throw refuse(place, "tracks an end, but none of its sources is seen", "a source without seen: false")
  if (positionOf(table)[0] !== "block_height")
    throw refuse(place, "has a position that does not start with block_height", "block_height first")
  const columns = seen.map((source) => readable.get(source.table)!.columns[of])
  const missing = columns.findIndex((column) => !column || !isPlace(column))
  if (missing >= 0) {
    throw refuse(
      place,
      `the source ${seen[missing]!.table} has no ${of} to tell where a row is`,
      "a position of integer columns that are never null and in every seen source",
    )
  }
  if (new Set(columns.map((column) => column!.kind)).size > 1) {
    throw refuse(place, `its sources have ${of} of different types`, "the same type in every seen source")
  }
}

const isPlace = ({ kind, nullable }: Column): boolean =>
  !nullable && (kind === "int2" || kind === "int4" || kind === "int8")

/** Indexes and tables share their names in a schema. */
function checkIndexNames(
  place: Place & { table: string },
  table: WorkerTable,
  tables: ReadonlyMap<string, unknown>,
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
        "columns that are told apart when joined by underscores",
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

const eventTablesOf = (workers: readonly WorkerDefinition[]): EventTables =>
  new Map(
    workers.flatMap(({ tables }) =>
      Object.entries(tables).filter((entry): entry is [string, EventTable] => entry[1].kind === "events"),
    ),
  )

const listed = (tables: EventTables): string =>
  [...tables.keys()].join(", ") || "none, as there is no such table"
