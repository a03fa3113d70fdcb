// Checks a worker by itself: names, keys, indexes. Every refusal names the worker, the table, the problem and what is
// allowed. Declarations may be plain JavaScript, so types are not relied on. Folds: plan-fold.ts.

import { rawIngester } from "../coordination/raw-ingester.js"
import { IndexerError } from "../platform/errors.js"
import { type ColumnKind, columnTypes } from "./column.js"
import type { EventTable, WorkerDefinition, WorkerTable } from "./worker-definition.js"

/**
 * Tables, views and the migration runner's own in schema app, besides those that a chain family reserves. A test
 * compares both with the migrations.
 */
export const reservedTables: readonly string[] = [
  "abis",
  "address_labels",
  "audit_log",
  "chain_state",
  "coverage",
  "indexing_checkpoints",
  "indexing_errors",
  "job_queue",
  "outbox",
  "outbox_state",
  "queued_heights",
  "rollbacks",
  "schema_migrations",
  "worker_leases",
  "worker_tables",
  "workers",
]

/** Columns that every table of Postgres has. */
const systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

// 41 characters leave room for the suffixes of a table's name: "_pkey", "_p10000000000".
const namePattern = /^[a-z][a-z0-9_]{0,40}$/
const nameAllowed = "a lower-case letter, then up to 40 lower-case letters, digits and underscores"
/** The names of partitions. */
const partitionName = /_p\d+$/

export interface Place {
  readonly worker: string
  readonly table?: string
  readonly column?: string | undefined
}

export function refuse({ worker, table, column }: Place, what: string, allowed?: string): IndexerError {
  const named = Object.entries({ worker, table, column }).filter(([, name]) => name !== undefined)
  const place = named.map(([kind, name]) => `${kind} ${name}`).join(", ")
  const message = `${place}${table === undefined ? "" : ":"} ${what}`
  return new IndexerError("CONFIG_INVALID", allowed === undefined ? message : `${message}; allowed: ${allowed}`, {
    data: Object.fromEntries(named),
  })
}

export function checkWorker(worker: WorkerDefinition, reserved: readonly string[]): void {
  const place = { worker: String(worker.name) }
  if (!isName(worker.name)) throw refuse({ worker: JSON.stringify(worker.name) }, "is no name", nameAllowed)
  if (worker.name === rawIngester) throw refuse(place, "is the name of the raw ingester", "any other name")
  if (!Number.isInteger(worker.version) || worker.version < 1 || worker.version > 2 ** 31 - 1) {
    throw refuse(place, `has the version ${String(worker.version)}`, "a whole number from 1")
  }
  const tables = Object.entries(worker.tables)
  if (tables.length === 0) throw refuse(place, "has no table", "one table or more")
  const taken = [...reservedTables, ...reserved]
  for (const [table, definition] of tables) {
    if (taken.includes(table)) throw refuse({ ...place, table }, "the name is taken", `any but ${taken.join(", ")}`)
    checkTable({ ...place, table }, definition, worker)
  }
}

function checkTable(place: Place & { table: string }, table: WorkerTable, worker: WorkerDefinition): void {
  const { table: name } = place
  if (!isName(name)) throw refuse(place, "is no name for a table", nameAllowed)
  if (partitionName.test(name))
    throw refuse(place, "is named like a partition", "a name that does not end in _p and digits")
  if (table.kind === "events") checkEventTable(place, table, worker)
  else if (table.kind === "state") {
    checkColumns(place, table.key)
    checkColumns(place, table.columns)
  } else throw refuse(place, "is of no known kind", "eventTable(…) or stateTable(…)")
}

function checkEventTable(place: Place, table: EventTable, worker: WorkerDefinition): void {
  if (!worker.extract)
    throw refuse(place, "never gets a row, as the worker has no extract", "an extract, or no event table")
  checkColumns(place, table.columns)
  const names = Object.keys(table.columns)
  checkList(place, { what: "key", list: table.key, names })
  if (table.key[0] !== "block_height") {
    throw refuse(
      place,
      `has a key that starts with ${String(table.key[0])}`,
      "a key that starts with block_height, so that a rollback finds its rows",
    )
  }
  if (table.columns["block_height"]!.kind !== "int8") throw refuse(place, "has a block_height that is no int8", "int8")
  const nullable = table.key.find((column) => table.columns[column]!.nullable)
  if (nullable !== undefined)
    throw refuse(place, `has the nullable column ${nullable} in its key`, "columns that are never null")
  const { partitionBlocks } = table
  if (partitionBlocks !== undefined && (!Number.isSafeInteger(partitionBlocks) || partitionBlocks < 1)) {
    throw refuse(place, `has partitions of ${String(partitionBlocks)} blocks`, "a whole number from 1, or none")
  }
  checkIndexes(place, table.indexes, names)
}

function checkColumns(place: Place, columns: Readonly<Record<string, { kind: ColumnKind }>>): void {
  for (const [name, column] of Object.entries(columns)) {
    if (!isName(name)) throw refuse(place, `${JSON.stringify(name)} is no name for a column`, nameAllowed)
    if (systemColumns.includes(name))
      throw refuse(place, `column ${name} is one that every table has`, "any other name")
    if (!Object.hasOwn(columnTypes, column.kind))
      throw refuse(place, `column ${name} is of no known kind`, Object.keys(columnTypes).join(", "))
  }
}

export function checkIndexes(
  place: Place,
  indexes: readonly (readonly string[])[] = [],
  names: readonly string[],
): void {
  for (const index of indexes) checkList(place, { what: "an index", list: index, names })
}

function checkList(
  place: Place,
  { what, list, names }: { what: string; list: readonly string[]; names: readonly string[] },
): void {
  if (list.length === 0) throw refuse(place, `${what} is empty`, "one column or more")
  const unknown = list.find((name) => !names.includes(name))
  if (unknown !== undefined) throw refuse(place, `${what} names ${unknown}, which is no column`, names.join(", "))
  if (new Set(list).size < list.length) throw refuse(place, `${what} names a column twice`, "each column once")
}

const isName = (name: unknown): name is string => typeof name === "string" && namePattern.test(name)
