// How a table can be asked: only as one of its indexes answers. Equal columns are the beginning of an index, in any order;
// the column after them bounds the rows or orders them. Events are always in the order of the chain.

import { RequestError } from "../request-error.js"
import type { KeyColumn } from "../resource.js"
import { columnSql, columnSqlTypes } from "../table-column-sql.js"
import type { GraphTable } from "./graph-table.js"

export interface AskedAccess {
  /** Columns with one value, or one of a few. */
  readonly equal: readonly string[]
  /** Of those, the column with several values: it no longer tells rows apart by being left out. */
  readonly several: string | undefined
  readonly ranged: readonly string[]
  readonly orderBy: string | undefined
}

export interface TableAccess {
  /** Orders the rows; unique. */
  readonly key: readonly KeyColumn[]
  /** Rows without it are in no order, and left out. */
  readonly notNull: string | undefined
}

/** Throws FILTER_NOT_INDEXED with what is possible. */
export function tableAccess(table: GraphTable, { equal, several, ranged, orderBy }: AskedAccess): TableAccess {
  const candidates = [table.key, ...table.indexes]
    .filter((index) => equal.every((column) => index.slice(0, equal.length).includes(column)))
    .map((index) => index.slice(equal.length))
  const { height } = table
  if (height !== undefined) {
    const isOrdered = candidates.some(([next]) => next === undefined || next === height) || equal.includes(height)
    if (candidates.length > 0 && isOrdered && ranged.every((column) => column === height))
      return { key: table.key.map((column) => keyColumn(table, column)), notNull: undefined }
    throw notIndexed(table)
  }
  const rest = candidates.find(
    ([next]) => (orderBy === undefined || next === orderBy) && ranged.every((column) => column === next),
  )
  if (!rest) throw notIndexed(table)
  const isNullable = (column: string): boolean => table.columns.get(column)!.nullable
  const end = rest.findIndex((column, at) => at > 0 && isNullable(column))
  const ordered = end < 0 ? rest : rest.slice(0, end)
  const key = [...new Set([...ordered, ...table.key])].filter(
    (column) => column === several || !equal.includes(column),
  )
  return {
    // With the whole key there is one row; its order does not matter.
    key: (key.length > 0 ? key : table.key).map((column) => keyColumn(table, column)),
    notNull: ordered[0] !== undefined && isNullable(ordered[0]) ? ordered[0] : undefined,
  }
}

/** The columns that filters may name. */
export const filterColumns = ({ key, indexes }: GraphTable): readonly string[] => [
  ...new Set([key, ...indexes].flat()),
]

/** State can be in the order of any indexed column, if the columns before it in the index are given. */
export const orderColumns = (table: GraphTable): readonly string[] =>
  table.height === undefined ? filterColumns(table) : []

/** In words, for the schema and for refusals. */
export function describeAccess({ key, indexes, height }: GraphTable): string {
  const shown = [key, ...indexes].map((index) => {
    const until = height === undefined ? -1 : index.indexOf(height)
    return `(${(until < 0 ? index : index.slice(0, Math.max(until, 1))).join(", ")})`
  })
  return [...new Set(shown)].join(", ")
}

const notIndexed = (table: GraphTable): RequestError =>
  new RequestError(
    "FILTER_NOT_INDEXED",
    `no index of ${table.name} answers this: give the columns of one of ${describeAccess(table)} from its beginning, ` +
      `${table.height === undefined ? "and order or bound by the next one" : "and bound by heights"}`,
  )

export const sqlTypeOf = (table: GraphTable, column: string): KeyColumn["type"] =>
  columnSqlTypes[table.columns.get(column)!.kind]

const keyColumn = (table: GraphTable, column: string): KeyColumn => ({
  column: columnSql(column),
  type: sqlTypeOf(table, column),
})
