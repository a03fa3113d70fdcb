// Reads the rows of one list, or of the lists of many rows at once: one statement with a page for each of them, so that a
// level of a query costs one statement however many rows the level above has. No column of a table begins with #.

import type { BlockRange } from "../../domain/block-range.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { AnswerScope } from "../answer-scope.js"
import { type PageRow, pageRows, pageSql } from "../read-page.js"
import { columnSql } from "../table-column-sql.js"
import type { GraphTable } from "./graph-table.js"
import type { ListFilter } from "./list-filter.js"
import { filterBranches } from "./list-filter.js"
import { sqlTypeOf, type TableAccess } from "./table-access.js"

export interface RowsRequest {
  readonly table: GraphTable
  readonly scope: AnswerScope
  readonly asked: BlockRange
  readonly columns: readonly string[]
  readonly access: TableAccess
  readonly filter: Pick<ListFilter, "conditions">
  readonly order: "asc" | "desc"
  /** One row more is read, if there is one. */
  readonly limit: number
  readonly after: readonly string[] | undefined
}

export async function readRows(tx: Queryable, request: RowsRequest): Promise<PageRow[]> {
  const { sql, values } = statement(request, { where: [], values: [] })
  const { rows } = await tx.query(sql, values)
  return pageRows(rows, request.access.key)
}

/** For each of `parents`, the rows whose `target` columns have its values. */
export async function readRowsOfEach(
  tx: Queryable,
  request: RowsRequest,
  { target, parents }: { readonly target: readonly string[]; readonly parents: readonly (readonly unknown[])[] },
): Promise<PageRow[][]> {
  const { table } = request
  const arrays = target.map((_, at) => parents.map((parent) => parent[at]))
  const where = target.map((column, at) => `${columnSql(column)} = parent."#value_${at}"`)
  const { sql, values } = statement(request, { where, values: arrays })
  const names = target.map((_, at) => `"#value_${at}"`).join(", ")
  const { rows } = await tx.query<Record<string, unknown> & { "#parent": string }>(
    `select parent."#parent", page.* from unnest(${target
      .map((column, at) => `$${at + 1}::${sqlTypeOf(table, column)}[]`)
      .join(", ")}) with ordinality as parent (${names}, "#parent")
     cross join lateral (select row_number() over () as "#row", rows.* from (${sql}) as rows) as page
     order by parent."#parent", page."#row"`,
    values,
  )
  const found: PageRow[][] = parents.map(() => [])
  for (const { "#parent": parent, "#row": _, ...row } of rows)
    found[Number(parent) - 1]!.push(...pageRows([row], request.access.key))
  return found
}

function statement(
  { table, access, filter, columns, ...page }: RowsRequest,
  { where, values }: { readonly where: readonly string[]; readonly values: readonly unknown[] },
): { readonly sql: string; readonly values: unknown[] } {
  const all = [...values]
  const from = `"${table.store}"."${table.name.replaceAll('"', '""')}" t`
  const notNull = access.notNull === undefined ? [] : [`${columnSql(access.notNull)} is not null`]
  const branches = filterBranches(table, filter, { from, where: [...where, ...notNull], values: all })
  const resource = {
    columns: Object.fromEntries(columns.map((name) => [name, { sql: selected(table, name) }])),
    key: access.key,
    ...(table.height === undefined ? {} : { height: columnSql(table.height) }),
  }
  return pageSql(resource, { ...page, selection: { branches, values: all } })
}

/** Of a row that was read with this column. */
export const cell = ({ row }: PageRow, column: string): unknown => row[column]

/** The driver would make a day a moment of its own time zone. */
const selected = (table: GraphTable, column: string): string =>
  table.columns.get(column)!.kind === "date" ? `${columnSql(column)}::text` : columnSql(column)
