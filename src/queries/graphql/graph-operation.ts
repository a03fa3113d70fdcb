// One operation while it runs: its snapshots, what they cover, and the reads that its resolvers ask for. A statement that
// fails ends the operation, since its transaction cannot go on.

import { containsHeight } from "../../domain/range-set.js"
import type { Clock } from "../../platform/clock.js"
import { printMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import { type AnswerScope, askedHeights, readScope, type Store } from "../answer-scope.js"
import { assertNotRolledBack, type CursorCodec, type CursorPosition } from "../cursor.js"
import type { PageRow } from "../read-page.js"
import { RequestError } from "../request-error.js"
import type { GraphRelation, GraphTable } from "./graph-table.js"
import type { ListFilter } from "./list-filter.js"
import { cell, type RowsRequest, readRows, readRowsOfEach } from "./read-rows.js"
import { RowBatches } from "./row-batches.js"
import type { TableAccess } from "./table-access.js"

/** A row in an answer. */
export interface GraphRow extends PageRow {
  /** Rows of later blocks are not shown with it. */
  readonly at: number | undefined
}

export interface RowsAsked extends Pick<RowsRequest, "columns" | "order" | "limit"> {
  readonly access: TableAccess
  readonly filter: Pick<ListFilter, "conditions" | "from" | "to">
  readonly after: CursorPosition | undefined
  readonly at: number | undefined
}

export interface OperationOptions {
  readonly chain: string
  readonly head: number | null
  readonly cursors: CursorCodec
  readonly clock: Clock
  readonly snapshots: Readonly<Record<Store, Queryable>>
  /** Of the stores that the operation reads. */
  readonly scopes: Readonly<Partial<Record<Store, AnswerScope>>>
  /** What all of them cover. */
  readonly scope: AnswerScope
  readonly workers: Readonly<Record<Store, readonly string[]>>
}

/** Between statements; each has its own limit. */
const longestMs = 10_000
const mostBytes = 16 * 1_024 * 1_024

export class GraphOperation {
  /** By field: the same for all rows of a level. */
  readonly columns = new WeakMap<readonly object[], readonly string[]>()
  private readonly batches = new RowBatches()
  private readonly until: number
  private readonly states = new Map<string, Promise<number | undefined>>()
  private bytes = 0
  private failed: { readonly error: unknown } | undefined

  constructor(readonly options: OperationOptions) {
    this.until = options.clock.monotonic() + longestMs
  }

  get workers(): readonly string[] {
    const { raw, app } = this.options.workers
    return [...raw, ...app]
  }

  /** All workers that it needs have the same heights, so that the rows of one match the counts of another. */
  get isEven(): boolean {
    const { scopes, scope } = this.options
    const shown = printMultirange(scope.covered)
    return Object.values(scopes).every(({ isEven, covered }) => isEven && printMultirange(covered) === shown)
  }

  /** The first statement that failed. */
  get failure(): { readonly error: unknown } | undefined {
    return this.failed
  }

  async rows(table: GraphTable, asked: RowsAsked): Promise<readonly GraphRow[]> {
    const request = await this.request(table, asked)
    if (!request) return []
    const rows = await this.read(table, (tx) => readRows(tx, request))
    this.count(rows)
    return rows.map((row) => ({ ...row, at: asked.at }))
  }

  /** Of one row; those of others at its level are read with it. */
  async related(
    { to, own, target, name, from }: GraphRelation,
    row: GraphRow,
    asked: RowsAsked,
  ): Promise<readonly GraphRow[]> {
    const parent = own.map((column) => cell(row, column))
    if (parent.includes(null)) return []
    return this.rowsOf(to, { target, parent, name: `${from.name} ${name}` }, asked)
  }

  async rowsOf(
    table: GraphTable,
    { target, parent, name }: { target: readonly string[]; parent: readonly unknown[]; name: string },
    asked: RowsAsked,
  ): Promise<readonly GraphRow[]> {
    const request = await this.request(table, asked)
    if (!request) return []
    const rows = await this.batches.load({
      name: JSON.stringify([name, asked]),
      parent,
      read: async (parents: readonly (readonly unknown[])[]) => {
        const found = await this.read(table, (tx) => readRowsOfEach(tx, request, { target, parents }))
        for (const one of found) this.count(one)
        return found
      },
    })
    return rows.map((one) => ({ ...one, at: asked.at }))
  }

  /** Undefined: a worker of the table never ran here, or the filter is an empty list. */
  private async request(
    table: GraphTable,
    { at, after, filter, ...asked }: RowsAsked,
  ): Promise<RowsRequest | undefined> {
    const scope = this.options.scope
    const own = this.options.scopes[table.store]
    if (!own?.isKnown || filter.conditions.some(({ values }) => values.length === 0)) return undefined
    if (at !== undefined) await this.assertAt(table, at)
    if (after) {
      const epoch = own.epoch
      await this.read(table, (tx) => assertNotRolledBack(tx, { store: table.store, epoch, cursor: after }))
    }
    const to = Math.min(filter.to, at === undefined ? filter.to : at + 1)
    return {
      ...{ table, scope, filter, ...asked, after: after?.key },
      asked: askedHeights(scope, { from: filter.from, to, head: this.options.head }),
    }
  }

  /** State is as of the newest covered block, and keeps no history. */
  private async assertAt(table: GraphTable, at: number): Promise<void> {
    const { scope } = this.options
    if (!containsHeight(scope.done, at)) {
      throw new RequestError("NOT_REACHED", `block ${at} is not covered by every required worker`, {
        data_watermark: scope.watermark === null ? null : String(scope.watermark),
        required_workers: this.workers,
      })
    }
    if (table.height !== undefined) return
    const known = this.states.get(table.worker) ?? this.newest(table)
    this.states.set(table.worker, known)
    const newest = await known
    if (newest === at) return
    throw new RequestError(
      "NOT_AT_BLOCK",
      `${table.name} is state as of block ${newest ?? "none"} and keeps no history: ask without a block, or for events`,
      { state_height: newest === undefined ? null : String(newest) },
    )
  }

  private async newest({ store, worker }: GraphTable): Promise<number | undefined> {
    const scope = await this.read({ store }, (tx) => readScope(tx, { store, workers: [worker] }))
    const end = scope?.done.at(-1)?.to
    return end === undefined ? undefined : end - 1
  }

  async read<T>({ store }: Pick<GraphTable, "store">, work: (tx: Queryable) => Promise<T>): Promise<T> {
    try {
      if (this.options.clock.monotonic() > this.until)
        throw new RequestError(
          "QUERY_TOO_LARGE",
          `this takes longer than ${longestMs / 1_000} s: ask for less at once`,
        )
      return await work(this.options.snapshots[store])
    } catch (error) {
      this.failed ??= { error }
      throw error
    }
  }

  private count(rows: readonly PageRow[]): void {
    for (const { row } of rows)
      for (const value of Object.values(row))
        if (Buffer.isBuffer(value)) this.bytes += 2 * value.length
        else if (typeof value === "string") this.bytes += value.length
    if (this.bytes <= mostBytes) return
    const error = new RequestError("QUERY_TOO_LARGE", "the answer is larger than 16 MB: ask for less at once")
    this.failed ??= { error }
    throw error
  }
}
