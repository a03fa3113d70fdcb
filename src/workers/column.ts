// The columns a worker's table can have: their SQL types and the JavaScript values they accept. A closed list, since every
// store has to encode, compare and undo each kind alike.

import type { Hex } from "../domain/linked-block.js"
import type { EncodedField } from "./encoded-field.js"

/** SQL types by kind. Amounts fit uint256; sums of them outgrow any width, so they are plain numeric. */
export const columnTypes = {
  bytes: "bytea",
  bool: "boolean",
  int2: "int2",
  int4: "int4",
  int8: "int8",
  amount: "numeric(78, 0)",
  numeric: "numeric",
  text: "text",
  timestamp: "timestamptz",
  date: "date",
} as const

export type ColumnKind = keyof typeof columnTypes

export interface Column<Kind extends ColumnKind = ColumnKind, Nullable extends boolean = boolean> {
  readonly kind: Kind
  readonly nullable: Nullable
}

interface ValueByKind {
  /** Bytes, or "0x…" of an even number of digits. */
  bytes: Hex | Uint8Array
  bool: boolean
  int2: number
  int4: number
  int8: number | bigint
  /** A bigint, or a hex quantity or word. */
  amount: bigint | Hex
  numeric: bigint | Hex
  text: string
  /** Microseconds since 1970. */
  timestamp: bigint
  /** Days since 1970. */
  date: number
}

/** What an extract may emit for a column: a value of its kind, or an unchanged field of a raw row. */
export type ColumnInput<C extends Column> =
  | ValueByKind[C["kind"]]
  | EncodedField
  | (C["nullable"] extends true ? null : never)

const required = <Kind extends ColumnKind>(kind: Kind): Column<Kind, false> => ({ kind, nullable: false })

export const bytes = required("bytes")
export const bool = required("bool")
export const int2 = required("int2")
export const int4 = required("int4")
export const int8 = required("int8")
export const amount = required("amount")
export const numeric = required("numeric")
export const text = required("text")
export const timestamp = required("timestamp")
export const date = required("date")

export const nullable = <Kind extends ColumnKind>(column: Column<Kind>): Column<Kind, true> => ({
  kind: column.kind,
  nullable: true,
})
