// An answer as one statement: its rows as JSON text, and the scope of the very snapshot that they are from.

import type { Queryable } from "../postgres/transaction.js"
import { scopeSql } from "./answer-scope.js"
import { type PageRequest, pageSql } from "./read-page.js"
import type { ListResource, OneRow, RequestValues, Resource, Selection } from "./resource.js"
import { rowJsonSql } from "./row-json.js"

interface Scoped {
  /** Null: the store belongs to no chain. */
  readonly scope: string | null
}

export interface FoundPage extends Scoped {
  readonly total: string | null
  /** Up to the limit, separated by commas; null: none. */
  readonly rows: string | null
  /** Of the last row, a JSON array of texts; null where there are no more rows behind it. */
  readonly key: string | null
}

export interface FoundRow extends Scoped {
  /** Null: there is none. */
  readonly row: string | null
  readonly height: string | null
}

type Statement = { readonly sql: string; readonly values: unknown[] }

interface PageStatementOptions {
  readonly page: PageRequest & { readonly selection: Selection }
  /** The values of the request, where the list is asked for as a whole. */
  readonly counted: RequestValues | undefined
}

/** Exported for the test that explains every statement. */
export function pageStatement(list: ListResource, { page, counted }: PageStatementOptions): Statement {
  const { sql, values } = pageSql({ ...list, columns: { json: { sql: rowJsonSql(list.columns) } } }, page)
  // The last value of a page.
  const most = `$${values.length}`
  const value = (one: unknown): string => `$${values.push(one)}`
  const total = counted && list.total?.({ request: counted, scope: page.scope, value })
  const keys = list.key.map((_, at) => `"#key_${at}"`).join(", ")
  return {
    sql: `select ${scopeSql(list.store, value(list.workers))} as scope, ${total ?? "null"} as total, found.*
      from (select string_agg(json, ',') filter (where place < ${most}) as rows,
          case when count(*) = ${most} then max(json_build_array(${keys})::text) filter (where place = ${most} - 1) end as key
        from (select *, row_number() over () as place from (${sql}) as page) as placed) as found`,
    values,
  }
}

export function rowStatement({ store, workers }: Pick<Resource, "store" | "workers">, one: OneRow): Statement {
  const values = [...one.values, workers]
  return {
    sql: `select ${scopeSql(store, `$${values.length}`)} as scope, found.*
      from (select) as always left join lateral (
        select ${rowJsonSql(one.columns)} as row, ${one.height ?? "null"} as height from ${one.from} limit 1) as found on true`,
    values,
  }
}

export async function runStatement<Found extends FoundPage | FoundRow>(
  tx: Queryable,
  { sql, values }: Statement,
): Promise<Found> {
  const { rows } = await tx.query(sql, values, { isLast: true })
  return rows[0] as Found
}
