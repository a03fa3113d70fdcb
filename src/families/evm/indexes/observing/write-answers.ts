// Writes observations: one row per contract, which replaces what was known of it.

import { quoteIdentifier } from "../../../../postgres/quote-identifier.js"
import type { Queryable } from "../../../../postgres/transaction.js"

export interface AnswerTable<Column extends string> {
  /** In schema app. */
  readonly table: string
  readonly key: Column
  /** Columns and their types. */
  readonly columns: Readonly<Record<Column, string>>
}

export async function writeAnswers<Column extends string>(
  tx: Queryable,
  { table, key, columns }: AnswerTable<Column>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): Promise<void> {
  const names = Object.keys(columns) as Column[]
  const quoted = names.map((name) => quoteIdentifier(name))
  await tx.query(
    `insert into ${quoteIdentifier("app", table)} (${quoted.join(", ")})
     select ${quoted.join(", ")} from unnest(${names.map((name, i) => `$${i + 1}::${columns[name]}[]`).join(", ")})
       as answer (${quoted.join(", ")})
     on conflict (${quoteIdentifier(key)}) do update
        set ${quoted.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    names.map((name) => rows.map((row) => row[name])),
  )
}
