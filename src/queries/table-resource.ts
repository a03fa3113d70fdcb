// A worker's table as a list. Filters are on the leading columns of an index, and rows come in its order where that is an
// order of its own; an event table's always come in chain order.

import { quoteIdentifier } from "../postgres/quote-identifier.js"
import { type ColumnKind, columnTypes } from "../workers/column.js"
import { workerSchema } from "../workers/worker-registry.js"
import { filterValue } from "./filter-value.js"
import { RequestError } from "./request-error.js"
import type { KeyColumn, ListResource, ResourceColumn } from "./resource.js"
import { columnSql, columnSqlTypes } from "./table-column-sql.js"
import {
  boolean,
  booleanOrNull,
  bytesOrNull,
  integer,
  integerOrNull,
  number,
  numberOrNull,
  text,
  textOrNull,
  timestampOrNull,
} from "./value-schemas.js"
import type { TableColumn, WorkerTableInfo } from "./worker-tables.js"

/** `column:value` */
export const filterPattern = "^[a-z][a-z0-9_]{0,62}:[^\\u0000]{0,256}$"
export const mostFilters = 8

export function tableResource(info: WorkerTableInfo, filters: readonly string[]): ListResource {
  const given = new Map(filters.map(splitFilter))
  if (given.size < filters.length) throw refuse(info, "a column is filtered by twice")
  const columns = new Map(info.columns.map((column) => [column.name, column]))
  const filtered = [...given].map(([name, text]) => {
    const column = columns.get(name)
    if (!column) throw refuse(info, `there is no column ${name}`)
    return { column, value: filterValue(column, text) }
  })
  const isEvents = info.kind === "events"
  const order = orderOf(info, [...given.keys()])
  return {
    ...{ kind: "list", path: `/tables/${info.table}`, tag: "tables", summary: info.table, store: "app" },
    workers: [info.worker],
    plansVary: true,
    columns: tableColumns(info),
    key: order.map((name) => keyColumn(columns.get(name)!)),
    ...(isEvents ? { height: columnSql("block_height") } : {}),
    order: isEvents ? "desc" : "asc",
    select: async () => ({
      branches: [
        {
          from: `${quoteIdentifier(workerSchema, info.table)} t`,
          where: filtered.map(
            ({ column: { name, kind } }, at) => `${columnSql(name)} = $${at + 1}::${columnTypes[kind]}`,
          ),
        },
      ],
      values: filtered.map(({ value }) => value),
    }),
  }
}

function splitFilter(text: string): readonly [string, string] {
  const at = text.indexOf(":")
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The columns that order the rows: the exact key, after what an index of the filters is ordered by. */
function orderOf(info: WorkerTableInfo, filtered: readonly string[]): readonly string[] {
  const { key, columns } = info
  const isFree = (name: string): boolean => !filtered.includes(name)
  const usable = [key, ...info.indexes].filter((index) => !index.slice(0, filtered.length).some(isFree))
  if (usable.length === 0) {
    const allowed = [key, ...info.indexes].map((index) => `(${index.join(", ")})`).join(" ")
    throw refuse(info, `no index begins with these columns; filters are on leading columns of ${allowed}`)
  }
  if (info.kind === "events") return key
  const inOrder = usable
    .map((index) => [...index.slice(filtered.length), ...key.filter((name) => isFree(name) && !index.includes(name))])
    // A null is neither before nor after a cursor.
    .find((names) => !names.some((name) => columns.find((column) => column.name === name)?.nullable ?? true))
  return inOrder && inOrder.length > 0 ? inOrder : key
}

const refuse = ({ table }: WorkerTableInfo, what: string): RequestError =>
  new RequestError("BAD_REQUEST", `table ${table}: ${what}`)

const keyColumn = ({ name, kind }: TableColumn): KeyColumn => ({ column: columnSql(name), type: columnSqlTypes[kind] })

type ColumnOf = (sql: string) => ResourceColumn

const always: Partial<Record<ColumnKind, ColumnOf>> = { bool: boolean, int2: integer, int4: integer, text }
const maybe: Partial<Record<ColumnKind, ColumnOf>> = {
  ...{ bool: booleanOrNull, int2: integerOrNull, int4: integerOrNull, text: textOrNull },
}

/** Numbers that may exceed 2^53 are strings of digits, as everywhere. */
export const tableColumns = (info: WorkerTableInfo): Readonly<Record<string, ResourceColumn>> =>
  Object.fromEntries(info.columns.map((column) => [column.name, resourceColumn(column)]))

function resourceColumn({ name, kind, nullable }: TableColumn): ResourceColumn {
  const sql = columnSql(name)
  if (kind === "bytes") return bytesOrNull(sql)
  // The driver makes a local midnight of a date.
  if (kind === "date") return (nullable ? textOrNull : text)(`${sql}::text`)
  if (kind === "timestamp") return timestampOrNull(sql)
  return nullable ? (maybe[kind] ?? numberOrNull)(sql) : (always[kind] ?? number)(sql)
}
