// A row as JSON text, made by the database: no row is taken apart and put together again on its way to a client.

import type { ResourceColumn } from "./resource.js"

type Columns = Readonly<Record<string, Pick<ResourceColumn, "json">>>

/** Those of routes are made once, and asked for with every request. */
const made = new WeakMap<Columns, string>()

/** An SQL expression. Names of columns are those of the code, never of a request. */
export function rowJsonSql(columns: Columns): string {
  const known = made.get(columns)
  if (known !== undefined) return known
  const sql = makeRowJsonSql(columns)
  made.set(columns, sql)
  return sql
}

function makeRowJsonSql(columns: Columns): string {
  const parts = Object.entries(columns).map(
    ([name, { json }], at) => `'${at === 0 ? "{" : ","}${JSON.stringify(name).replaceAll("'", "''")}:', ${json}`,
  )
  return parts.length === 0 ? "'{}'" : `concat(${parts.join(", ")}, '}')`
}
