// The statements that create a worker's tables. Pure; every name has been checked and is quoted.

import { quoteIdentifier } from "../postgres/quote-identifier.js"
import { type Column, columnTypes } from "./column.js"
import { columnsOf, type FoldPlan, stateColumns } from "./fold-plan.js"
import { indexName, type TableIndex } from "./index-name.js"
import type { EventTable } from "./worker-definition.js"
import { workerSchema } from "./worker-registry.js"

export function eventTableSql(name: string, { columns, key, partitionBlocks }: EventTable): string {
  const lines = Object.entries(columns).map(([column, definition]) => columnSql(column, definition))
  const partitioned = partitionBlocks === undefined ? "" : ` partition by range (${quoted(["block_height"])})`
  return `${createSql(name, [...lines, `primary key (${quoted(key)})`])}${partitioned}`
}

export function stateTableSql(plan: FoldPlan): string {
  const sums = columnsOf(plan, "sum").map(({ name }) => name)
  return createSql(plan.table, [
    ...stateColumns(plan).map(
      ({ name, ...column }) => `${columnSql(name, column)}${sums.includes(name) ? " default 0" : ""}`,
    ),
    `primary key (${quoted(plan.key.map(({ name }) => name))})`,
  ])
}

/** only: not on the partitions that exist. */
export const indexSql = (index: TableIndex, { only = false }: { only?: boolean } = {}): string =>
  `create index ${quoted([indexName(index)])}
   on ${only ? "only " : ""}${quoteIdentifier(workerSchema, index.table)} (${quoted(index.columns)})`

const createSql = (name: string, lines: readonly string[]): string =>
  `create table ${quoteIdentifier(workerSchema, name)} (\n  ${lines.join(",\n  ")}\n)`

const columnSql = (name: string, { kind, nullable }: Column): string =>
  `${quoted([name])} ${columnTypes[kind]}${nullable ? "" : " not null"}`

const quoted = (names: readonly string[]): string => names.map((name) => quoteIdentifier(name)).join(", ")
