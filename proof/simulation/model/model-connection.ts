// A client's connection to the model, with the product's own contract. Every statement travels: it takes effect when the scheduler says so,
// and its answer reaches the process only if that still lives.

import type pg from "pg"
import type { BinaryRows } from "../../../src/postgres/binary-rows.js"
import type { Backend, SqlConnection } from "../../../src/postgres/sql-connection.js"
import type { TransactionOptions } from "../../../src/postgres/transaction.js"
import type { StatementResult } from "./compile-statement.js"
import type { ModelDatabase } from "./model-database.js"
import { ModelTransaction } from "./model-transaction.js"

/** Where a connection's requests come from: a process that can crash, stop or be slow. */
export interface Host {
  readonly name: string
  /** Connections of it that are open, so that they end with it. */
  opened?(connection: ModelConnection): void
  ended?(connection: ModelConnection): void
  /** A chance of one half. */
  coin(): boolean
  request<T>(effect: (settle: (error: unknown, value?: T) => void) => void): Promise<T>
}

export class ModelConnection implements SqlConnection {
  readonly database: ModelDatabase
  readonly host: Host
  readonly backend: Backend
  closed = false
  /** The open transaction, as the server has it. */
  transaction_: ModelTransaction | undefined
  /** Of a statement that is under way. */
  running: ModelTransaction | undefined
  stopWaiting: (() => void) | undefined
  /** Answers the statement that is under way, should the connection end. */
  onTerminate: (() => void) | undefined
  /** A commit was sent and not yet answered. */
  committing = false
  /** Statements take effect in the order in which they were sent: these wait for the answer to the one before. */
  private readonly queue: (() => void)[] = []
  private asking = false

  constructor(database: ModelDatabase, host: Host) {
    this.database = database
    this.host = host
    this.backend = database.join(this)
    host.opened?.(this)
  }

  static open(database: ModelDatabase, host: Host): Promise<ModelConnection> {
    return host.request((settle) => {
      if (database.isDown) settle(database.unreachable())
      else settle(null, new ModelConnection(database, host))
    })
  }

  query<Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<pg.QueryResult<Row>> {
    if (this.closed) return Promise.reject(this.database.unreachable())
    if (!this.asking) return this.send(sql, params) as Promise<pg.QueryResult<Row>>
    return new Promise((resolve, reject) => {
      this.queue.push(() => (this.send(sql, params) as Promise<pg.QueryResult<Row>>).then(resolve, reject))
    })
  }

  private send(sql: string, params: readonly unknown[]): Promise<unknown> {
    this.asking = true
    const answer = this.ask((settle) => this.database.run(this, { sql, params }, settle))
    const next = (): void => {
      this.asking = false
      this.queue.shift()?.()
    }
    answer.then(next, next)
    return answer
  }

  /** What the model's own writers and readers do in place of COPY. */
  ask<T = StatementResult>(effect: (settle: (error: unknown, value?: T) => void) => void): Promise<T> {
    if (this.closed) return Promise.reject(this.database.unreachable())
    return this.host.request<T>((settle) => {
      if (this.closed) settle(this.database.unreachable())
      else effect(settle)
    })
  }

  async begin({ idleInTransactionTimeoutMs, lockTimeoutMs }: TransactionOptions = {}): Promise<void> {
    if (this.closed) throw this.database.unreachable()
    if (this.transaction_) throw new Error("a transaction is open already")
    this.transaction_ = new ModelTransaction(this, {
      idleLimitMs: idleInTransactionTimeoutMs,
      lockLimitMs: lockTimeoutMs,
    })
  }

  async commit(): Promise<void> {
    if (this.closed) throw this.database.unreachable()
    this.committing = true
    await this.ask((settle) => {
      this.committing = false
      this.database.commit(this, settle)
    })
  }

  async rollback(): Promise<void> {
    if (this.closed) throw this.database.unreachable()
    this.abort()
  }

  async transaction<T>(work: (tx: ModelConnection) => Promise<T>, options?: TransactionOptions): Promise<T> {
    await this.begin(options)
    let result: T
    try {
      result = await work(this)
    } catch (error) {
      if (!this.closed) this.abort()
      throw error
    }
    await this.commit()
    return result
  }

  copyIn(table: string): Promise<number> {
    return Promise.reject(new Error(`the model has no COPY into ${table}`))
  }

  copyInAll(): Promise<readonly number[]> {
    return Promise.reject(new Error("the model has no COPY"))
  }

  copyOut(query: string): Promise<BinaryRows> {
    return Promise.reject(new Error(`the model has no COPY of ${query}`))
  }

  abort(): void {
    const transaction = this.transaction_
    if (!transaction) return
    this.transaction_ = undefined
    transaction.abort()
    transaction.release()
  }

  /** Ended from either side: what was not committed never will be. */
  terminate(): void {
    if (this.closed) return
    this.closed = true
    this.database.leave(this)
    this.host.ended?.(this)
    this.stopWaiting?.()
    this.stopWaiting = undefined
    const { running } = this
    this.running = undefined
    if (running && running !== this.transaction_) {
      running.abort()
      running.release()
    }
    this.abort()
    this.onTerminate?.()
    this.onTerminate = undefined
  }

  /** Cut by the client. A commit that was sent already may arrive all the same. */
  destroy(): void {
    if (this.committing && this.host.coin()) this.database.commit(this, () => undefined)
    this.terminate()
  }

  async end(): Promise<void> {
    this.terminate()
  }
}
