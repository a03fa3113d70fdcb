// A page of a list by its number, as Etherscan's clients ask for it. Its window is bounded, so that what is skipped costs
// little; the rows' large values are bounded together.

import type { QueryResultRow } from "pg"
import { pageSql } from "../read-page.js"
import type { ListResource, Selection } from "../resource.js"
import { EtherscanError } from "./etherscan-error.js"
import type { PageWindow } from "./etherscan-params.js"
import type { Covered } from "./read-covered.js"

export type WindowedList = Pick<ListResource, "columns" | "key" | "height">

export interface WindowRequest {
  readonly selection: Selection
  readonly page: PageWindow
  readonly order: "asc" | "desc"
  /** A column of bytes that clients want whole. */
  readonly large?: string
}

/** Of the large values of one answer. */
export const largeBytes = 16 << 20
export const tooLargeMessage = "Error! The result is too large: ask for fewer records with offset"

export async function readWindow<Row extends QueryResultRow>(
  { tx, scope, asked }: Pick<Covered, "tx" | "scope" | "asked">,
  list: WindowedList,
  request: WindowRequest,
): Promise<readonly Row[]> {
  const { sql, values } = windowSql({ scope, asked }, list, request)
  const { rows } = await tx.query<Row & { large_bytes?: string }>(sql, values)
  if (Number(rows[0]?.large_bytes ?? 0) > largeBytes) throw new EtherscanError(tooLargeMessage)
  return rows
}

/** Exported for the test that explains every statement. */
export function windowSql(
  { scope, asked }: Pick<Covered, "scope" | "asked">,
  list: WindowedList,
  { selection, page, order, large }: WindowRequest,
): { readonly sql: string; readonly values: unknown[] } {
  // A page reads one row more than its limit.
  const limit = page.skip + page.take - 1
  const { sql, values } = pageSql(list, { scope, asked, order, limit, selection, after: undefined })
  const names = Object.keys(list.columns).map((name) =>
    name === large ? `case when large_bytes <= ${largeBytes} then "${name}" end as "${name}"` : `"${name}"`,
  )
  const skipped = `select * from (${sql}) as shown offset $${values.push(page.skip)}`
  if (large === undefined) return { sql: `select ${names.join(", ")} from (${skipped}) as page`, values }
  return {
    sql: `select ${names.join(", ")}, large_bytes from
      (select *, sum(coalesce(octet_length("${large}"), 0)) over () as large_bytes from (${skipped}) as page) as sized`,
    values,
  }
}
