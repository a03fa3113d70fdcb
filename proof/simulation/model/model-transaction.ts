// One transaction: the rows and advisory locks it holds, who waits for it, and the way back.

import type { ModelLock } from "./model-lock.js"
import type { ModelRow, Values } from "./model-table.js"

export interface RowChange {
  readonly row: ModelRow
  readonly before: Values | undefined
  readonly after: Values | undefined
}

interface Step {
  readonly row: ModelRow
  readonly pending: Values | undefined
  readonly dirty: boolean
  readonly holder: ModelTransaction | undefined
  readonly isNew: boolean
}

/** Thrown by a statement that has to wait for another transaction's row. */
export class MustWait {
  readonly holder: ModelTransaction

  constructor(holder: ModelTransaction) {
    this.holder = holder
  }
}

export class ModelTransaction {
  /** In the order in which it took hold of them. */
  readonly rows: ModelRow[] = []
  readonly locks: ModelLock[] = []
  waiters: (() => void)[] = []
  ended = false
  /** A statement of it failed: only a rollback is left. */
  failed = false
  /** Nothing was asked of it since; ended by the server when that takes too long. */
  idleSince: number | undefined = undefined
  readonly idleLimitMs: number | undefined
  readonly lockLimitMs: number | undefined
  readonly session: { terminate(): void }
  /** Those it waits for at this moment. */
  waitsFor: readonly ModelTransaction[] = []
  private readonly steps: Step[] = []

  constructor(
    session: { terminate(): void },
    { idleLimitMs, lockLimitMs }: { idleLimitMs?: number | undefined; lockLimitMs?: number | undefined } = {},
  ) {
    this.session = session
    this.idleLimitMs = idleLimitMs
    this.lockLimitMs = lockLimitMs
  }

  /** Takes the row's lock; the caller has seen that nobody else has it. */
  hold(row: ModelRow, isNew = false): void {
    this.steps.push({ row, pending: row.pending, dirty: row.dirty, holder: row.holder, isNew })
    if (row.holder === this) return
    row.holder = this
    this.rows.push(row)
  }

  write(row: ModelRow, values: Values | undefined, isNew = false): void {
    this.hold(row, isNew)
    row.pending = values
    row.dirty = true
  }

  mark(): number {
    return this.steps.length
  }

  backTo(mark: number): void {
    while (this.steps.length > mark) {
      const { row, pending, dirty, holder, isNew } = this.steps.pop()!
      if (isNew) drop(row, row.pending)
      row.pending = pending
      row.dirty = dirty
      row.holder = holder
      if (!holder) this.rows.pop()
    }
  }

  /** What changed for everybody. */
  commit(): readonly RowChange[] {
    const changes: RowChange[] = []
    for (const row of this.rows) {
      if (row.dirty) {
        const before = row.committed
        row.committed = row.pending
        if (before !== row.committed) changes.push({ row, before, after: row.committed })
        if (!row.committed) drop(row, before)
        else row.table.settle(row)
      }
      free(row)
    }
    return changes
  }

  abort(): void {
    this.backTo(0)
    for (const row of this.rows) free(row)
  }

  /** Everything it held is free: locks go to who comes next, and those who waited for rows look again. */
  release(): void {
    this.ended = true
    for (const lock of this.locks) lock.release(this)
    this.locks.length = 0
    const { waiters } = this
    this.waiters = []
    for (const wake of waiters) wake()
  }
}

function free(row: ModelRow): void {
  row.holder = undefined
  row.dirty = false
  row.pending = undefined
}

function drop(row: ModelRow, values: Values | undefined): void {
  const { table } = row
  if (values && table.rows.get(table.shape.keyOf(values)) === row) table.rows.delete(table.shape.keyOf(values))
  table.hot.delete(row)
}
