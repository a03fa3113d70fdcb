// A model of one Postgres server as its clients can observe it: statements that take effect at one moment each, READ COMMITTED, row and
// advisory locks with their queues, sessions that end, outages, and restores. It runs the product's own statements.

import { IndexerError } from "../../../src/platform/errors.js"
import { toIndexerError } from "../../../src/postgres/postgres-error.js"
import type { Scheduler } from "../scheduler.js"
import type { Context, ModelServer } from "./compile-expression.js"
import { type CompiledStatement, compileStatement, type StatementResult } from "./compile-statement.js"
import type { ModelConnection } from "./model-connection.js"
import { ModelLock } from "./model-lock.js"
import { ModelTable, type TableShape, type Values } from "./model-table.js"
import { ModelTransaction, MustWait, type RowChange } from "./model-transaction.js"
import { SqlStateError } from "./sql-state-error.js"

/** Statements compiled once for all databases of the same tables. */
export class StatementBook {
  readonly shapes: ReadonlyMap<string, TableShape>
  /** Statements that are not worth a parser, by their text or its beginning. */
  private readonly natives: readonly { begins: string; run: CompiledStatement }[]
  private readonly compiled = new Map<string, CompiledStatement>()

  constructor(shapes: readonly TableShape[], natives: readonly { begins: string; run: CompiledStatement }[]) {
    this.shapes = new Map(shapes.map((shape) => [shape.name, shape]))
    this.natives = natives
  }

  find(sql: string): CompiledStatement {
    let known = this.compiled.get(sql)
    if (!known) {
      const native = this.natives.find(({ begins }) => sql.startsWith(begins))
      known = native ? native.run : compileStatement((table) => this.shape(table), sql)
      this.compiled.set(sql, known)
    }
    return known
  }

  /** A statement whose whole text is known. */
  define(sql: string, run: CompiledStatement): void {
    this.compiled.set(sql, run)
  }

  private shape(table: string): TableShape {
    const shape = this.shapes.get(table)
    if (!shape) throw new Error(`the model of Postgres has no table ${table}`)
    return shape
  }
}

const none: readonly RowChange[] = []

/** What a transaction changed for everybody. Many look at it, each for a table or two. */
export class Committed {
  readonly database: ModelDatabase
  readonly connection: ModelConnection
  readonly changes: readonly RowChange[]
  private readonly byTable = new Map<string, RowChange[]>()

  constructor(database: ModelDatabase, connection: ModelConnection, changes: readonly RowChange[]) {
    this.database = database
    this.connection = connection
    this.changes = changes
    let last: RowChange[] | undefined
    let lastTable: ModelTable | undefined
    for (const change of changes) {
      const { table } = change.row
      if (table !== lastTable) {
        lastTable = table
        last = this.byTable.get(table.name)
        if (!last) {
          last = []
          this.byTable.set(table.name, last)
        }
      }
      last!.push(change)
    }
  }

  /** Of a table, named without its schema. */
  of(table: string): readonly RowChange[] {
    return this.byTable.get(table) ?? none
  }
}

export interface RanStatement {
  readonly sql: string
  readonly statement: CompiledStatement
  readonly params: readonly unknown[]
  readonly result: StatementResult
  readonly connection: ModelConnection
}

export type CommitFate = "answered" | "lost" | "undone"

type ModelBackup = ReadonlyMap<string, { readonly rows: readonly Values[]; readonly nextId: number }>

type Done = (error: unknown, result?: StatementResult) => unknown

const empty: StatementResult = { rows: [], rowCount: 0 }

export class ModelDatabase implements ModelServer {
  readonly name: "raw" | "app"
  startedAt: number
  isDown = false
  onCommit: (committed: Committed) => void = () => undefined
  onStatement: (ran: RanStatement) => void = () => undefined
  fateOfCommit: () => CommitFate = () => "answered"
  private readonly scheduler: Scheduler
  private readonly book: StatementBook
  private readonly tables = new Map<string, ModelTable>()
  private readonly locks = new Map<string, ModelLock>()
  private readonly open = new Map<number, ModelConnection>()
  private nextPid = 100

  constructor({ name, scheduler, book }: { name: "raw" | "app"; scheduler: Scheduler; book: StatementBook }) {
    this.name = name
    this.scheduler = scheduler
    this.book = book
    this.startedAt = scheduler.now
    for (const shape of book.shapes.values()) this.tables.set(shape.name, new ModelTable(shape))
  }

  table(name: string): ModelTable {
    const table = this.tables.get(name)
    if (!table) throw new Error(`the model of Postgres has no table ${name}`)
    return table
  }

  lock(key: string): ModelLock {
    let lock = this.locks.get(key)
    if (!lock) {
      lock = new ModelLock()
      this.locks.set(key, lock)
    }
    return lock
  }

  *sessions(): Generator<Values> {
    for (const { backend } of this.open.values()) yield { pid: backend.pid, backend_start: Number(backend.startedAt) }
  }

  terminate(pid: number): boolean {
    const connection = this.open.get(pid)
    connection?.terminate()
    return connection !== undefined
  }

  endSilent(holders: Iterable<ModelTransaction>): void {
    for (const holder of holders) if (this.isSilent(holder)) holder.session.terminate()
  }

  /** A backend for a new connection. */
  join(connection: ModelConnection): { pid: number; startedAt: string } {
    const pid = this.nextPid++
    this.open.set(pid, connection)
    return { pid, startedAt: String(this.scheduler.now) }
  }

  leave(connection: ModelConnection): void {
    this.open.delete(connection.backend.pid)
  }

  run(
    connection: ModelConnection,
    { sql, params, ...given }: { sql: string; params: readonly unknown[]; statement?: CompiledStatement },
    done: Done,
  ): unknown {
    if (connection.closed || this.isDown) return done(this.unreachable())
    const statement = given.statement ?? this.book.find(sql)
    const own = connection.transaction_
    if (own?.failed) return done(new SqlStateError("25P02", "the transaction has failed"))
    const transaction = own ?? new ModelTransaction(connection)
    connection.running = transaction
    transaction.idleSince = undefined
    connection.onTerminate = () => done(this.unreachable())
    const finish: Done = (error, result) => {
      connection.running = undefined
      connection.onTerminate = undefined
      transaction.waitsFor = []
      if (own) {
        own.idleSince = this.scheduler.now
        if (error) own.failed = true
      } else if (error) {
        transaction.abort()
        transaction.release()
      } else this.apply(connection, transaction)
      if (error) done(error instanceof IndexerError ? error : this.mapped(error))
      else {
        this.onStatement({ sql, statement, params, result: result!, connection })
        done(null, result)
      }
    }
    this.attempt({ connection, transaction, statement, params, finish })
  }

  /** The transaction of the connection takes effect, or is found to have failed. */
  commit(connection: ModelConnection, done: Done): unknown {
    const transaction = connection.transaction_
    if (connection.closed || this.isDown || !transaction) return done(this.unreachable())
    if (transaction.failed) {
      connection.abort()
      return done(new IndexerError("DATABASE_ERROR", "rolled back instead of committed"))
    }
    const fate = this.fateOfCommit()
    if (fate !== "undone") {
      connection.transaction_ = undefined
      this.apply(connection, transaction)
    }
    if (fate === "answered") return done(null, empty)
    connection.terminate()
    done(this.unreachable())
  }

  /** As a crash does: nothing that was not committed stays, and nobody is connected any more. */
  stop(): void {
    this.isDown = true
    for (const connection of [...this.open.values()]) connection.terminate()
  }

  start(): void {
    this.isDown = false
    this.startedAt = this.scheduler.now
  }

  backup(): ModelBackup {
    const rowsOf = (table: ModelTable) => ({ rows: [...table.committed()], nextId: table.nextId })
    return new Map([...this.tables].map(([name, table]) => [name, rowsOf(table)]))
  }

  /** Everything since the backup is forgotten, numbers given out since then too. */
  restore(backup: ModelBackup): void {
    this.stop()
    this.putBack(backup)
    this.start()
  }

  putBack(backup: ModelBackup): void {
    for (const [name, { rows, nextId }] of backup) {
      const table = this.table(name)
      table.rows.clear()
      table.hot.clear()
      for (const row of rows) table.put(row)
      table.nextId = nextId
    }
  }

  unreachable(): IndexerError {
    return new IndexerError("DATABASE_UNREACHABLE", `the ${this.name} database cannot be reached`)
  }

  private attempt(running: {
    connection: ModelConnection
    transaction: ModelTransaction
    statement: CompiledStatement
    params: readonly unknown[]
    finish: Done
  }): unknown {
    const { transaction, statement, params, finish } = running
    const mark = transaction.mark()
    const context: Context = {
      server: this,
      transaction,
      params,
      now: this.scheduler.now,
      rows: [],
      found: [],
      locks: [],
      cache: undefined,
    }
    let result: StatementResult
    try {
      result = statement(context)
    } catch (error) {
      transaction.backTo(mark)
      if (!(error instanceof MustWait)) return finish(error)
      const again = this.waiting(running, [error.holder])
      if (again) error.holder.waiters.push(() => again() && this.attempt(running))
      return
    }
    const takeNext = (at: number): unknown => {
      const wanted = context.locks[at]
      if (!wanted) return finish(null, result)
      const granted = (): void => {
        if (!again?.()) return
        takeNext(at + 1)
        // Whoever waits behind it began to wait for another.
        if (wanted.lock.isAwaited && !transaction.ended) this.endWhenSilent(transaction)
      }
      let again: (() => boolean) | undefined
      if (wanted.lock.take(transaction, wanted.shared, granted)) return takeNext(at + 1)
      again = this.waiting(running, wanted.lock.holders(), () => wanted.lock.leave(transaction))
    }
    takeNext(0)
  }

  /** Begins a wait: bounded by the transaction's limit and by the silence of those it waits for. What it returns ends it. */
  private waiting(
    { connection, transaction, finish }: { connection: ModelConnection; transaction: ModelTransaction; finish: Done },
    holders: readonly ModelTransaction[],
    leave: () => void = () => undefined,
  ): (() => boolean) | undefined {
    transaction.waitsFor = holders
    if (holders.some((holder) => reaches(holder, transaction))) {
      leave()
      finish(new SqlStateError("40P01", "deadlock detected"))
      return undefined
    }
    let isWaiting = true
    connection.stopWaiting = () => {
      isWaiting = false
      leave()
    }
    if (transaction.lockLimitMs !== undefined) {
      this.scheduler.after(transaction.lockLimitMs, () => {
        if (!isWaiting) return
        isWaiting = false
        leave()
        finish(new SqlStateError("55P03", "lock timeout"))
      })
    }
    for (const holder of holders) this.endWhenSilent(holder)
    return () => {
      if (!isWaiting) return false
      isWaiting = false
      connection.stopWaiting = undefined
      return true
    }
  }

  private endWhenSilent(holder: ModelTransaction): void {
    if (holder.idleLimitMs === undefined) return
    const since = holder.idleSince ?? this.scheduler.now
    this.scheduler.after(since + holder.idleLimitMs - this.scheduler.now, () => {
      if (holder.ended) return
      if (this.isSilent(holder)) holder.session.terminate()
      else this.endWhenSilent(holder)
    })
  }

  private isSilent({ idleLimitMs, idleSince }: ModelTransaction): boolean {
    return idleLimitMs !== undefined && idleSince !== undefined && this.scheduler.now - idleSince >= idleLimitMs
  }

  private apply(connection: ModelConnection, transaction: ModelTransaction): void {
    const changes = transaction.commit()
    if (changes.length > 0) this.onCommit(new Committed(this, connection, changes))
    transaction.release()
  }

  private mapped(error: unknown): unknown {
    return error instanceof SqlStateError ? toIndexerError(error, { address: this.name }) : error
  }
}

function reaches(from: ModelTransaction, to: ModelTransaction): boolean {
  return from === to || from.waitsFor.some((next) => reaches(next, to))
}
