// The rows of a user's own tables as the API answers them, from the declaration of their worker. Types only.

import type { ColumnKind } from "../workers/column.js"
import type { EventTable, FoldColumn, StateTable, WorkerDefinition } from "../workers/worker-definition.js"

/** Numbers that may exceed 2^53 are digits, bytes are 0x…, times ISO 8601. */
interface JsonByKind {
  bytes: string
  bool: boolean
  int2: number
  int4: number
  int8: string
  amount: string
  numeric: string
  text: string
  timestamp: string
  date: string
}
type JsonOf<Kind extends ColumnKind> = JsonByKind[Kind]

type EventRow<Table> =
  Table extends EventTable<infer C>
    ? { readonly [Name in keyof C]: JsonOf<C[Name]["kind"]> | (C[Name]["nullable"] extends true ? null : never) }
    : never

/** Sums are of every row; the first, last, least and greatest of nothing is null. */
type Folded<Column> =
  Column extends FoldColumn<infer Kind, infer How> ? JsonOf<Kind> | (How extends "sum" ? never : null) : never

/** Where in the chain a key appeared first and last, if the table tracks it. */
type Position<Table> = Table extends { readonly track: readonly (infer End extends string)[] }
  ? Table extends { readonly position: readonly (infer Column extends string)[] }
    ? { readonly [Name in `${End}_${Column}`]: string | number | null }
    : { readonly [Name in `${End}_block_height`]: string | null } & {
        readonly [Name in `${End}_${"transaction_index" | "event_index"}`]: number | null
      }
  : unknown

type StateRow<Table> = Table extends StateTable
  ? { readonly [Name in keyof Table["key"]]: JsonOf<Table["key"][Name]["kind"]> } & {
      readonly [Name in keyof Table["columns"]]: Folded<Table["columns"][Name]>
    } & { readonly event_rows: string } & Position<Table>
  : never

type RowOf<Table> = Table extends { readonly kind: "events" } ? EventRow<Table> : StateRow<Table>

/** `TableRows<typeof whaleWorker>["whale_transfers"]`; of several workers: `TableRows<typeof a | typeof b>`. */
export type TableRows<Worker> = UnionToIntersection<
  Worker extends WorkerDefinition<infer Tables> ? { readonly [Name in keyof Tables]: RowOf<Tables[Name]> } : never
>

type UnionToIntersection<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void
  ? All
  : never
