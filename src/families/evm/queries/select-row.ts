// One row by its key, with declared columns.

import { type TObject, Type } from "typebox"
import type { Queryable } from "../../../postgres/transaction.js"
import type { ResourceColumn, RowExtension } from "../../../queries/resource.js"

type Columns = Readonly<Record<string, ResourceColumn>>

export async function selectRow(
  tx: Queryable,
  { columns, from, isLast = false }: { columns: Columns; from: string; isLast?: boolean },
  values: readonly unknown[],
): Promise<Record<string, unknown> | undefined> {
  const selected = Object.entries(columns).map(([name, { sql }]) => `${sql} as "${name}"`)
  const { rows } = await tx.query(`select ${selected.join(", ")} from ${from} limit 1`, values, { isLast })
  return rows[0]
}

selectRow.schema = (columns: Columns, extension?: RowExtension): TObject =>
  Type.Object({
    ...Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])),
    ...extension?.schema,
  })
