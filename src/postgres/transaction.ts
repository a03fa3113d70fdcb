// What a transaction is begun with. Limits are SET LOCAL, so that they hold behind a transaction pooler and end with it.

import type pg from "pg"

type Isolation = "read committed" | "repeatable read" | "serializable"

export interface TransactionOptions {
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  /**
   * The commit does not wait for the disk. For what may be lost with the server, as if it had died a moment sooner, and for what the next
   * commit that does wait takes along, since a server has one log.
   */
  readonly unflushed?: boolean
}

export interface QueryOptions {
  /** Prepares the statement under this name, once per connection. Behind a transaction pooler it is left out. */
  readonly name?: string | undefined
}

/** What statements are run on: a connection, a transaction, or the pool. */
export interface Queryable {
  /** Statements of one transaction run in the order of the calls, also when none waits for the one before (`allAnswered`). */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<pg.QueryResult<Row>>
}

/** The begin and its limits as one text, so that they cost one round trip. */
export function beginStatement(options: TransactionOptions): string {
  const begin = `begin isolation level ${options.isolation ?? "read committed"}${options.readOnly ? " read only" : ""}`
  return [
    begin,
    ...setLocal("statement_timeout", options.statementTimeoutMs),
    ...setLocal("lock_timeout", options.lockTimeoutMs),
    ...setLocal("idle_in_transaction_session_timeout", options.idleInTransactionTimeoutMs),
    ...(options.unflushed ? ["set local synchronous_commit = off"] : []),
  ].join("; ")
}

function setLocal(setting: string, ms: number | undefined): string[] {
  if (ms === undefined) return []
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw new RangeError(`${setting} has to be whole milliseconds: ${ms}`)
  return [`set local ${setting} = ${ms}`]
}
