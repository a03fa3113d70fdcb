// A table as GraphQL shows it, and what a chain family adds to the tables that workers declare.

import type { Queryable } from "../../postgres/transaction.js"
import type { Column, ColumnKind } from "../../workers/column.js"
import type { Store } from "../answer-scope.js"

export interface GraphColumn extends Column {
  readonly name: string
}

export interface GraphTable {
  readonly name: string
  readonly store: Store
  /** Keeps the table. */
  readonly worker: string
  /** Its worker and those that it reads: no row outside of what all of them cover is shown. */
  readonly workers: readonly string[]
  readonly columns: ReadonlyMap<string, GraphColumn>
  readonly key: readonly string[]
  /** Without the key. */
  readonly indexes: readonly (readonly string[])[]
  /** The column of the height, first in the key: rows are of blocks. Undefined: rows are state. */
  readonly height: string | undefined
}

/** A table that no worker declares: of raw, or filled by an observer. */
export interface FamilyTable extends Omit<GraphTable, "columns" | "key" | "indexes" | "workers"> {
  readonly columns: Readonly<Record<string, Column>>
}

/** A table whose rows other tables name by some of their columns, such as a block by its height. */
export interface Place {
  /** Of the relation. */
  readonly name: string
  readonly table: string
  /** Columns of the other table, and those of this one. */
  readonly columns: Readonly<Record<string, string>>
}

/** An argument that finds a row by something that is not in its key. */
export interface Lookup {
  readonly table: string
  readonly argument: string
  /** The row's key. */
  find(raw: Queryable, bytes: Buffer): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** How many rows a table has for given values of some columns, which another table of its worker knows. */
interface DeclaredTotal {
  readonly table: string
  readonly by: readonly string[]
  /** By the same columns, which are its key. Undefined: the table has one row for each height. */
  readonly counter?: { readonly table: string; readonly column: string }
}

export interface GraphFamily {
  readonly tables: readonly FamilyTable[]
  readonly places: readonly Place[]
  readonly lookups: readonly Lookup[]
  readonly totals: readonly DeclaredTotal[]
}

/** From a row of one table to the rows of another that have the same values in other columns. */
export interface GraphRelation {
  readonly name: string
  readonly from: GraphTable
  readonly to: GraphTable
  /** Column by column. */
  readonly own: readonly string[]
  readonly target: readonly string[]
  readonly isList: boolean
}

/** Those that a relation can be followed by: their values go through the driver unchanged. */
export const joinableKinds: readonly ColumnKind[] = ["bytes", "int2", "int4", "int8", "amount", "numeric", "text"]
