// One page of a list, by the key of its rows and never by an offset. Heights are bounded on both sides, so that only
// the partitions in between are read, and only covered ones are shown.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, rangeSet } from "../domain/range-set.js"
import { printMultirange } from "../postgres/multirange.js"
import type { Queryable } from "../postgres/transaction.js"
import type { AnswerScope } from "./answer-scope.js"
import type { KeyColumn, ListResource, Selection } from "./resource.js"

export interface PageRequest {
  readonly scope: AnswerScope
  readonly asked: BlockRange
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly after: readonly string[] | undefined
  /** Nothing else is read in this transaction. */
  readonly isLast?: boolean
}

export interface PageRow {
  readonly row: Record<string, unknown>
  readonly key: readonly string[]
}

// Names that no column of a worker's table can have.
const keyName = (at: number): string => `#key_${at}`
const sortName = (at: number): string => `#sort_${at}`

/** One row more than the limit, if there is one. */
export async function readPage(
  tx: Queryable,
  resource: ListResource,
  request: PageRequest & { readonly selection: Selection },
): Promise<PageRow[]> {
  const { sql, values } = pageSql(resource, request)
  const { rows } = await tx.query(sql, values, { isLast: request.isLast })
  return pageRows(rows, resource.key)
}

/** Takes the key out of rows that `pageSql` selects. */
export function pageRows(rows: readonly Record<string, unknown>[], key: readonly KeyColumn[]): PageRow[] {
  const names = key.map((_, at) => keyName(at))
  return rows.map((all) => {
    const row: Record<string, unknown> = { ...all }
    for (const name of names) delete row[name]
    return { row, key: names.map((name) => String(all[name])) }
  })
}

/** Exported for the test that explains every statement. */
export function pageSql(
  resource: Pick<ListResource, "key" | "height" | "joinedHeight"> & {
    readonly columns: Readonly<Record<string, { readonly sql: string }>>
  },
  { scope, asked, order, limit, after, selection }: PageRequest & { readonly selection: Selection },
): { readonly sql: string; readonly values: unknown[] } {
  const values = [...selection.values]
  const value = (one: unknown): string => `$${values.push(one)}`
  const conditions: string[] = []
  const { key, height, joinedHeight } = resource
  if (height) {
    const covered = intersect(scope.covered, rangeSet([asked]))
    const bounds = { from: covered[0]?.from ?? asked.from, to: covered.at(-1)?.to ?? asked.from }
    const [low, high] = heightBounds(bounds, { order, after }).map(value)
    for (const column of joinedHeight ? [height, joinedHeight] : [height])
      conditions.push(`${column} >= ${low}`, `${column} < ${high}`)
    // Nearly always the bounds say it all, and the planner knows what they leave better than what this does.
    if (covered.length > 1) conditions.push(`${value(printMultirange(covered))}::int8multirange @> ${height}`)
  }
  if (after) {
    const position = after.map((text, at) => keyValue(value(text), key[at]!))
    const left = key.map(({ column }) => column).join(", ")
    conditions.push(`(${left}) ${order === "asc" ? ">" : "<"} (${position.join(", ")})`)
  }
  const most = value(limit + 1)
  const columns = [
    ...Object.entries(resource.columns).map(([name, { sql }]) => `${sql} as "${name}"`),
    ...key.map(({ column, type }, at) => `${keyText(column, type)} as "${keyName(at)}"`),
  ].join(", ")
  const orderBy = (names: readonly string[]): string => names.map((name) => `${name} ${order}`).join(", ")
  const parts = selection.branches.map(
    ({ from, where }) =>
      `select ${columns}${selection.branches.length > 1 ? key.map(({ column }, at) => `, ${column} as "${sortName(at)}"`).join("") : ""}
       from ${from} where ${[...where, ...conditions, "true"].join(" and ")}
       order by ${orderBy(key.map(({ column }) => column))} limit ${most}`,
  )
  if (parts.length === 1) return { sql: parts[0]!, values }
  const shown = [
    ...Object.keys(resource.columns).map((name) => `"${name}"`),
    ...key.map((_, at) => `"${keyName(at)}"`),
  ]
  return {
    sql: `select ${shown.join(", ")} from (${parts.map((part) => `(${part})`).join(" union all ")}) as branches
      order by ${orderBy(key.map((_, at) => `"${sortName(at)}"`))} limit ${most}`,
    values,
  }
}

/** The first key column of a list of blocks' rows is the height, so a cursor bounds it too. */
function heightBounds(
  { from, to }: BlockRange,
  { order, after }: Pick<PageRequest, "order" | "after">,
): readonly [number, number] {
  if (!after) return [from, to]
  const at = Number(after[0])
  return order === "asc" ? [Math.max(from, at), to] : [from, Math.min(to, at + 1)]
}

const keyText = (column: string, type: KeyColumn["type"]): string =>
  type === "bytea" ? `encode(${column}, 'hex')` : `${column}::text`

const keyValue = (placeholder: string, { type }: KeyColumn): string =>
  type === "bytea" ? `decode(${placeholder}, 'hex')` : `${placeholder}::${type}`
