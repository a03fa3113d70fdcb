// A declared column in a statement, in which every table is called t.

import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { ColumnKind } from "../workers/column.js"
import type { KeyColumn } from "./resource.js"

export const columnSql = (name: string): string => `t.${quoteIdentifier(name)}`

/** The types that cursors hold and parameters are cast to. */
export const columnSqlTypes: Readonly<Record<ColumnKind, KeyColumn["type"]>> = {
  bytes: "bytea",
  bool: "bool",
  int2: "int2",
  int4: "int4",
  int8: "int8",
  amount: "numeric",
  numeric: "numeric",
  text: "text",
  timestamp: "timestamptz",
  date: "date",
}
