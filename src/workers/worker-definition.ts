// A worker: its name, its dependencies, its tables and how they are filled. An extract derives rows of event tables from a
// block, a fold keeps a state table over event tables. A worker may have one or both.

import type { Column, ColumnInput, ColumnKind } from "./column.js"

export type Columns = Readonly<Record<string, Column>>

/** Rows that happened at a place in the chain. Written once, undone by delete. */
export interface EventTable<C extends Columns = Columns> {
  readonly kind: "events"
  readonly columns: C
  /** Starts with block_height. */
  readonly key: readonly (keyof C & string)[]
  /** Blocks in a partition; not partitioned when left out. */
  readonly partitionBlocks?: number
  readonly indexes?: readonly (readonly (keyof C & string)[])[]
}

/** A column of an event row, or a simple function of one. */
export type Expression =
  | string
  /** Of a numeric or integer column. */
  | { readonly negate: string }
  /** The UTC day of a timestamp column. */
  | { readonly day: string }
  | { readonly literal: number | string | boolean }

export type Condition =
  | { readonly is: string | number | boolean | null }
  | { readonly isNot: string | number | boolean | null }

/** Which rows of an event table count, for which key, and with what. */
export interface FoldSource {
  /** An event table of this worker or of one it depends on. */
  readonly table: string
  /** All have to hold. Bytes are given as "0x…". */
  readonly where?: Readonly<Record<string, Condition>>
  /** Every key column of the state table. */
  readonly key: Readonly<Record<string, Expression>>
  /** Value columns; one that is left out gets nothing from this source. */
  readonly set?: Readonly<Record<string, Expression>>
  /** False: its rows are summed, but do not count for first and last. */
  readonly seen?: boolean
}

/** first and last take the value of the row that comes first or last in the chain. */
export type Aggregate = "sum" | "first" | "last" | "min" | "max"

export interface FoldColumn<Kind extends ColumnKind = ColumnKind, How extends Aggregate = Aggregate> {
  readonly aggregate: How
  readonly kind: Kind
}

/** How many rows of a state table there are by one of its bytes columns: a table of its own, with `by` as its key. */
export interface RowCount {
  readonly by: string
  /** The name of the number. */
  readonly column: string
  /** The rows that count, as SQL over the table's columns. */
  readonly where: string
}

/**
 * State by key, as a fold over event rows: the same whatever the order in which ranges come, undone exactly, and
 * recomputable. Besides its own columns it has `event_rows` (the number of its rows; at 0 it is deleted) and, for
 * each end it tracks, the position there: `first_block_height`, `first_transaction_index`, … and `last_…`.
 */
export interface StateTable {
  readonly kind: "state"
  readonly key: Columns
  readonly columns: Readonly<Record<string, FoldColumn>>
  readonly sources: readonly FoldSource[]
  /** Ends to track. first() and last() columns need theirs. */
  readonly track?: readonly ("first" | "last")[]
  /** Columns of the event rows that say where in the chain they are; compared in this order. */
  readonly position?: readonly string[]
  readonly indexes?: readonly (readonly string[])[]
  /** Built-in tables only. By the name of the table with the counts. */
  readonly counts?: Readonly<Record<string, RowCount>>
}

export type WorkerTable = EventTable | StateTable
export type WorkerTables = Readonly<Record<string, WorkerTable>>

type RowInput<C extends Columns> = { readonly [Name in keyof C]: ColumnInput<C[Name]> }

/** Selected by kind: EventTable uses its columns both as values and as keys, so a narrow one extends no wider one. */
export type Emit<Tables extends WorkerTables> = {
  readonly [Name in keyof Tables as Tables[Name]["kind"] extends "events"
    ? Name
    : never]: Tables[Name] extends EventTable<infer C> ? (row: RowInput<C>) => void : never
}

/** A row of a dependency's event table: bytes as "0x…", integers as number, amounts as bigint, timestamps in µs. */
export type UpstreamRow = Readonly<Record<string, string | number | bigint | boolean | null>>

/** By table. */
export type UpstreamRows = Readonly<Record<string, readonly UpstreamRow[]>>

export interface ExtractContext<Tables extends WorkerTables, Block> {
  readonly block: Block
  readonly emit: Emit<Tables>
  /** Rows of the tables named in `reads`, of this block, in key order. */
  readonly rows: UpstreamRows
}

export interface WorkerDefinition<Tables extends WorkerTables = WorkerTables> {
  /** Lower case with underscores; used in coverage, leases and status. */
  readonly name: string
  /** Raised when what it derives changes. */
  readonly version: number
  /** Workers whose tables it reads. It never runs ahead of them. */
  readonly dependencies?: readonly string[]
  readonly tables: Tables
  /** Event tables of dependencies that `extract` reads. */
  readonly reads?: readonly string[]
  /** Pure: the same block always gives the same rows. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of workers holds definitions of different tables and families.
  readonly extract?: (context: ExtractContext<any, any>) => void
}

/** Where an event row is in the chain, unless a state table says otherwise. */
export const defaultPosition = ["block_height", "transaction_index", "event_index"] as const

export const eventTables = (worker: WorkerDefinition): [string, EventTable][] =>
  Object.entries(worker.tables).filter((entry): entry is [string, EventTable] => entry[1].kind === "events")

export const stateTables = (worker: WorkerDefinition): [string, StateTable][] =>
  Object.entries(worker.tables).filter((entry): entry is [string, StateTable] => entry[1].kind === "state")
