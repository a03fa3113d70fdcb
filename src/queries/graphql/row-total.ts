// `totalCount` of a list: how many rows it has on all pages, out of a number that a worker keeps; null where none does, or
// where that number is of other heights than the rows.

import { countHeights } from "../../domain/range-set.js"
import type { GraphOperation } from "./graph-operation.js"
import type { GraphTable } from "./graph-table.js"
import type { ListFilter } from "./list-filter.js"
import { cell } from "./read-rows.js"
import { tableAccess } from "./table-access.js"

/** Of lists whose rows are chosen by these columns and nothing else. */
export interface RowTotal {
  readonly by: readonly string[]
  /** Undefined: a row for each height. */
  readonly counter: { readonly table: GraphTable; readonly column: string } | undefined
}

export interface TotalAsked {
  /** Columns that the list's parent gives, with its values. */
  readonly target: readonly string[]
  readonly parent: readonly unknown[]
  readonly where: ListFilter
  readonly at: number | undefined
}

export async function rowTotal(
  operation: GraphOperation,
  total: RowTotal | undefined,
  { target, parent, where, at }: TotalAsked,
): Promise<string | null> {
  const { conditions } = where
  if (!total || at !== undefined || !operation.isEven || parent.includes(null)) return null
  if (conditions.some(({ operator, values }) => operator !== "=" || values.length !== 1)) return null
  const given = new Map([
    ...target.map((column, i): [string, unknown] => [column, parent[i]]),
    ...conditions.map(({ column, values }): [string, unknown] => [column, values[0]]),
  ])
  const { by, counter } = total
  if (given.size !== by.length || !by.every((column) => given.has(column))) return null
  if (!counter) return String(countHeights(operation.options.scope.covered))
  const { table, column } = counter
  const own = { ...table, height: undefined }
  const [row] = await operation.rowsOf(
    table,
    { target: by, parent: by.map((name) => given.get(name)), name: `${column} of ${table.name}` },
    {
      access: tableAccess(own, { equal: by, several: undefined, ranged: [], orderBy: undefined }),
      ...{ filter: { conditions: [], from: 0, to: Number.MAX_SAFE_INTEGER }, order: "asc", limit: 0 },
      ...{ columns: [column], after: undefined, at: undefined },
    },
  )
  return row ? String(cell(row, column)) : "0"
}
