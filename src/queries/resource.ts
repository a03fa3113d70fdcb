// What a chain family declares of each thing that can be asked for: its path, its tables, its columns with their
// schemas, and how a request becomes a statement. src/api makes a route of each.

import type { TProperties, TSchema } from "typebox"
import type { Queryable } from "../postgres/transaction.js"
import type { TableIndex } from "../workers/index-name.js"
import type { AnswerScope, Store } from "./answer-scope.js"
import type { KnownAbis } from "./known-abis.js"

export type RequestValues = Readonly<Record<string, string>>

/** A column of an answer: the SQL expression behind it, and its JSON Schema. */
export interface ResourceColumn {
  readonly sql: string
  /** The SQL expression of its JSON text, never null. */
  readonly json: string
  readonly schema: TSchema
}

/** What came to the tables of app after their first release, and may not be there yet in a store that is upgraded. */
export interface Needs {
  /** Tables beside those of the required workers. */
  readonly tables?: readonly string[]
  readonly indexes?: readonly TableIndex[]
}

export interface Resource {
  /** Below /v1/{chain}, such as `/blocks/:block`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly store: Store
  /** Workers whose coverage the answer depends on. */
  readonly workers: readonly string[]
  readonly params?: TProperties
  /** Heights without it are outside of the answer's coverage. */
  needs?(request: RequestValues): Needs
  /** The best plan of its statements depends on the values, or its indexes are not known to fit. */
  readonly plansVary?: boolean
  readonly extension?: RowExtension
  /** Finds in raw what the path names, such as the place of a hash. Undefined: it does not exist. */
  lookup?(raw: Queryable, request: RequestValues): Promise<RequestValues | undefined>
}

/** What an answer's rows say beside their columns, made of them after they were read. A file has the columns only. */
export interface RowExtension {
  readonly schema: TProperties
  /** The properties of each row, in their order. */
  extend(
    rows: readonly Readonly<Record<string, unknown>>[],
    known: ExtensionSources,
  ): Promise<readonly Readonly<Record<string, unknown>>[]>
}

export interface ExtensionSources {
  readonly abis: KnownAbis
  readApp<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface KeyColumn {
  readonly column: string
  readonly type: "int8" | "int4" | "int2" | "numeric" | "bytea" | "text" | "date" | "bool" | "timestamptz"
}

/** Rows of one table, or of a join that adds columns to them. Values are $1, $2, … */
export interface Branch {
  readonly from: string
  readonly where: readonly string[]
}

export interface Selection {
  /** Several: the same columns found by different indexes. Their rows are disjoint. */
  readonly branches: readonly Branch[]
  readonly values: readonly unknown[]
}

/** Orders the rows; unique. */
export interface ListSort {
  readonly key: readonly KeyColumn[]
  readonly order: "asc" | "desc"
}

export interface ListResource extends Resource, ListSort {
  readonly kind: "list"
  readonly query?: TProperties
  /** Other orders, by the value of `sort`. */
  readonly sorts?: Readonly<Record<string, ListSort>>
  readonly columns: Readonly<Record<string, ResourceColumn>>
  /** The SQL column of the height: rows are of blocks. Undefined: rows are state, as of the coverage. */
  readonly height?: string
  /** Its like in the table that is joined: the planner sees no bounds of one in the other, and would read all partitions. */
  readonly joinedHeight?: string
  /** Undefined: what the path names does not exist. */
  select(tx: Queryable, request: RequestValues): Promise<Selection | undefined>
  /** An SQL expression of text, from a counter; only where there is one. Not asked when heights limit the list. */
  total?(options: TotalOptions): string | undefined
}

interface TotalOptions {
  readonly request: RequestValues
  readonly scope: AnswerScope
  /** Makes a parameter of a value. */
  readonly value: (one: unknown) => string
}

/** A row by its key. */
export interface OneRow {
  readonly columns: Readonly<Record<string, ResourceColumn>>
  /** What follows `from`. */
  readonly from: string
  readonly values: readonly unknown[]
  /** The SQL column of its block's height, if it is of one. */
  readonly height?: string
}

export interface DetailResource extends Resource {
  readonly kind: "detail"
  readonly query?: TProperties
  readonly row: TSchema
  /** The answer while a required worker never ran; without one, nothing is found. */
  readonly absent?: unknown
  /** Where the answer is one row by its key. Undefined: this request needs `read`. */
  one?(request: RequestValues): OneRow | undefined
  /** Where it is not. Undefined: not found. `height`: of its block, if it is of one. */
  read?(
    tx: Queryable,
    options: { readonly request: RequestValues; readonly scope: AnswerScope },
  ): Promise<{ readonly data: unknown; readonly height: number | undefined } | undefined>
}

export type ApiResource = ListResource | DetailResource
