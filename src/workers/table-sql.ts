// The statements that make a worker's tables. Pure text; every name in it has been checked and is quoted.

import { quoteIdentifier } from "../postgres/quote-identifier.js"
import { type Column, columnTypes } from "./column.js"
import { indexName, type TableIndex } from "./index-name.js"
import { endColumns, eventRows } from "./state-columns.js"
import type { EventTable, FoldColumn, StateTable } from "./worker-definition.js"
import { type WorkerRegistry, workerSchema } from "./worker-registry.js"

export function eventTableSql(name: string, { columns, key, partitionBlocks }: EventTable): string {
  const lines = Object.entries(columns).map(([column, definition]) => columnSql(column, definition))
  const partitioned = partitionBlocks === undefined ? "" : ` partition by range (${quoted(["block_height"])})`
  return `${createSql(name, [...lines, `primary key (${quoted(key)})`])}${partitioned}`
}

/** The registry says of which type the columns of a position are: that of the event tables it is folded from. */
export function stateTableSql(registry: WorkerRegistry, name: string, table: StateTable): string {
  const positions = positionColumns(registry, table)
  return createSql(name, [
    ...Object.entries(table.key).map(([column, definition]) => columnSql(column, definition)),
    ...Object.entries(table.columns).map(([column, definition]) => foldColumnSql(column, definition)),
    `${quoted([eventRows])} int8 not null`,
    // Null where no row that is seen stands behind it.
    ...endColumns(table).map((end) => `${quoted([end.name])} ${columnTypes[positions[end.of]!.kind]}`),
    `primary key (${quoted(Object.keys(table.key))})`,
  ])
}

export const indexSql = (index: TableIndex): string =>
  `create index ${quoted([indexName(index)])} on ${quoteIdentifier(workerSchema, index.table)} (${quoted(index.columns)})`

function positionColumns(
  registry: WorkerRegistry,
  { sources }: StateTable,
): Readonly<Record<string, Column>> {
  const seen = sources.find((source) => source.seen !== false)
  const table = seen && registry.table(seen.table)
  return table?.kind === "events" ? table.columns : {}
}

const createSql = (name: string, lines: readonly string[]): string =>
  `create table ${quoteIdentifier(workerSchema, name)} (\n  ${lines.join(",\n  ")}\n)`

const columnSql = (name: string, { kind, nullable }: Column): string =>
  `${quoted([name])} ${columnTypes[kind]}${nullable ? "" : " not null"}`

const foldColumnSql = (name: string, { aggregate, kind }: FoldColumn): string =>
  `${quoted([name])} ${columnTypes[kind]}${aggregate === "sum" ? " not null default 0" : ""}`

const quoted = (names: readonly string[]): string => names.map((name) => quoteIdentifier(name)).join(", ")
