// Compares a state table with a fold of its event rows from scratch, all of it or the keys between two bounds. For
// verification, not for serving.

import type { RangeSet } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import { type FoldPlan, stateColumns } from "../fold-plan.js"
import { diffSql } from "./diff-sql.js"

/** Values as PostgreSQL prints them, by column. */
export type StateRowText = Readonly<Record<string, string | null>>

export interface FoldDifference {
  /** Undefined where there should be no row. */
  readonly expected: StateRowText | undefined
  /** Undefined where there is no row. */
  readonly found: StateRowText | undefined
}

export interface DiffFoldOptions {
  readonly coverage: RangeSet
  readonly limit?: number
  /** Of the first key column, as PostgreSQL prints it: keys above this. */
  readonly above?: string | undefined
  /** Keys up to this. */
  readonly upTo?: string | undefined
}

/** In key order; none when the table is the fold over exactly the coverage. */
export async function diffFold(
  tx: Queryable,
  plan: FoldPlan,
  { coverage, limit = 100, above, upTo }: DiffFoldOptions,
): Promise<readonly FoldDifference[]> {
  const { rows } = await tx.query<Record<"expected" | "found", (string | null)[] | null>>(diffSql(plan), [
    printMultirange(coverage),
    limit,
    above ?? null,
    upTo ?? null,
  ])
  const names = stateColumns(plan).map(({ name }) => name)
  const byColumn = (values: readonly (string | null)[] | null): StateRowText | undefined =>
    values ? Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) : undefined
  return rows.map(({ expected, found }) => ({ expected: byColumn(expected), found: byColumn(found) }))
}
