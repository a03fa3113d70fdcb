// The options of a transaction. Limits are SET LOCAL: they end with it, also behind a transaction pooler.

import type pg from "pg"

export interface TransactionOptions {
  /** The default is "read committed". */
  readonly isolation?: "repeatable read"
  readonly readOnly?: boolean
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  /**
   * The commit does not wait for the disk. Only for what may be lost when the server crashes, and for what the next
   * waiting commit makes durable too, since a server has one log.
   */
  readonly unflushed?: boolean
}

export interface QueryOptions {
  /** Prepares the statement under this name, once per connection. Ignored behind a transaction pooler. */
  readonly name?: string | undefined
}

/** Runs statements: a connection, a transaction, or the pool. */
export interface Queryable {
  /** Statements of one transaction run in the order of the calls, even when none waits for another (`allAnswered`). */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<pg.QueryResult<Row>>
}

/** What a pool and a connection have in common. */
export interface SqlExecutor<Tx extends Queryable = Queryable> extends Queryable {
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** BEGIN and the limits as one text, so that they cost one round trip. */
export function beginStatement(options: TransactionOptions): string {
  const isolation = options.isolation ?? "read committed"
  return [
    `begin isolation level ${isolation}${options.readOnly ? " read only" : ""}`,
    ...setLocal("statement_timeout", options.statementTimeoutMs),
    ...setLocal("lock_timeout", options.lockTimeoutMs),
    ...setLocal("idle_in_transaction_session_timeout", options.idleInTransactionTimeoutMs),
    ...(options.unflushed ? ["set local synchronous_commit = off"] : []),
  ].join("; ")
}

function setLocal(setting: string, ms: number | undefined): string[] {
  if (ms === undefined) return []
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${setting} must be whole milliseconds: ${ms}`)
  return [`set local ${setting} = ${ms}`]
}
