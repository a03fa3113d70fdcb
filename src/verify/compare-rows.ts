// Compares the rows that a table should have, held in a temporary table of the same name, with the stored rows.

import type { RangeSet } from "../domain/range-set.js"
import { printMultirange } from "../postgres/multirange.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import type { FoldDifference, StateRowText } from "../workers/postgres/diff-fold.js"
import type { Finding } from "./finding.js"

export const temporarySchema = "pg_temp"
const shownCharacters = 100

export interface CompareRowsOptions {
  readonly schema: string
  readonly table: string
  /** The column that holds the height. */
  readonly height: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  readonly heights: RangeSet
  /** A null in the temporary table matches any stored value. */
  readonly nullMatchesAny?: boolean
  readonly limit: number
}

/** In key order. */
export async function compareRows(
  tx: Queryable,
  { schema, table, height, key, columns, heights, nullMatchesAny = false, limit }: CompareRowsOptions,
): Promise<FoldDifference[]> {
  const [first, last] = [heights[0], heights.at(-1)]
  if (!first || !last) return []
  const names = [...new Set([...key, ...columns])]
  const quoted = names.map((name) => quoteIdentifier(name))
  const keys = key.map((name) => quoteIdentifier(name))
  const at = quoteIdentifier(height)
  const found = (name: string): string => `found.${name}`
  const expected = (name: string): string =>
    nullMatchesAny ? `coalesce(expected.${name}, found.${name})` : `expected.${name}`
  const texts = (side: (name: string) => string): string =>
    `array[${quoted.map((name) => `${side(name)}::text`).join(", ")}]`
  const rowsOf = (name: string): string =>
    `(select ${quoted.join(", ")} from ${quoteIdentifier(name, table)}
      where ${at} >= $1 and ${at} < $2 and ${at} <@ $3::int8multirange)`
  const { rows } = await tx.query<Record<"expected" | "found", (string | null)[] | null>>(
    `select case when expected.${at} is not null then ${texts(expected)} end as expected,
       case when found.${at} is not null then ${texts(found)} end as found
     from ${rowsOf(temporarySchema)} as expected
     full join ${rowsOf(schema)} as found on ${keys.map((name) => `expected.${name} = found.${name}`).join(" and ")}
     where expected.${at} is null or found.${at} is null
       or ${quoted.map((name) => `${expected(name)} is distinct from ${found(name)}`).join(" or ")}
     order by ${keys.map((name) => `coalesce(expected.${name}, found.${name})`).join(", ")} limit $4`,
    [first.from, last.to, printMultirange(heights), limit],
  )
  const byColumn = (values: (string | null)[] | null): StateRowText | undefined =>
    values ? Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])) : undefined
  return rows.map((row) => ({ expected: byColumn(row.expected), found: byColumn(row.found) }))
}

/** What a finding says about a row that differs; `origin` names where the expected row comes from. */
export function describeDifference(
  { expected, found }: FoldDifference,
  { table, key: names, origin }: { table: string; key: readonly string[]; origin: string },
): Pick<Finding, "table" | "key" | "expected" | "found" | "message"> {
  const row = (expected ?? found)!
  const key = Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
  const place = `${table} (${names.map((name) => `${name} ${key[name]}`).join(", ")})`
  const differing = Object.keys(row).filter((name) => expected?.[name] !== found?.[name])
  const shown = (side: StateRowText): string =>
    differing.map((name) => `${name} ${(side[name] ?? "null").slice(0, shownCharacters)}`).join(", ")
  if (!found) {
    const message = `the row ${place} is missing; ${origin} has it`
    return { table, key, expected: shown(row), message }
  }
  if (!expected) {
    const message = `the row ${place} should not exist; ${origin} does not have it`
    return { table, key, found: shown(row), message }
  }
  const [wanted, stored] = [shown(expected), shown(found)]
  const message = `the row ${place} has ${stored}; ${origin} has ${wanted}`
  return { table, key, expected: wanted, found: stored, message }
}
