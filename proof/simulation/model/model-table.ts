// Rows as Postgres keeps them, as far as anybody can observe it: what is committed, what the one transaction that holds the row made of
// it, and who that is. Nobody else sees the second before it is committed.

import type { ModelTransaction } from "./model-transaction.js"
import { rowCopier } from "./row-code.js"
import type { SqlType } from "./sql-syntax.js"

export type Values = Record<string, unknown>

export interface TableShape {
  readonly name: string
  readonly columns: Readonly<Record<string, SqlType>>
  /** Columns that are not null when nothing is given. */
  readonly defaults?: (table: ModelTable) => Values
  /** The column that is the primary key, where one is: looked up by it instead of scanned. */
  readonly keyColumn?: string
  readonly keyOf: (values: Values) => string | number
  /** No two of these rows may overlap, as the exclusion constraint of leases has it. */
  readonly exclusive?: boolean
}

export class ModelRow {
  readonly table: ModelTable
  committed: Values | undefined
  /** Undefined: deleted. Only meaningful while dirty. */
  pending: Values | undefined = undefined
  dirty = false
  holder: ModelTransaction | undefined = undefined

  constructor(table: ModelTable, committed: Values | undefined) {
    this.table = table
    this.committed = committed
  }

  seenBy(transaction: ModelTransaction | undefined): Values | undefined {
    return this.dirty && this.holder === transaction ? this.pending : this.committed
  }
}

export class ModelTable {
  readonly shape: TableShape
  /** Without its schema. */
  readonly name: string
  /** By key; also rows that somebody is about to insert. */
  readonly rows = new Map<string | number, ModelRow>()
  /** Of leases: those that are not COMPLETED for everybody. Finished ones are many and read by few. */
  readonly hot = new Set<ModelRow>()
  nextId = 1

  constructor(shape: TableShape) {
    this.shape = shape
    this.name = shape.name.slice(shape.name.indexOf(".") + 1)
  }

  /** As if it had always been there. */
  put(values: Values): void {
    const row = new ModelRow(this, copier(this.shape)({ ...this.shape.defaults?.(this), ...values }))
    this.rows.set(this.shape.keyOf(row.committed!), row)
    this.hot.add(row)
  }

  settle(row: ModelRow): void {
    if (!row.committed) {
      this.hot.delete(row)
      return
    }
    if (row.committed["status"] === "COMPLETED") this.hot.delete(row)
    else this.hot.add(row)
  }

  /** Committed rows, in the order of their insertion. */
  *committed(): Generator<Values> {
    for (const { committed } of this.rows.values()) if (committed) yield committed
  }
}

const copiers = new WeakMap<TableShape, (row: Values) => Values>()

function copier(shape: TableShape): (row: Values) => Values {
  let copy = copiers.get(shape)
  if (!copy) {
    copy = rowCopier(Object.keys(shape.columns))
    copiers.set(shape, copy)
  }
  return copy
}
