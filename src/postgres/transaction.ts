// The options of a transaction. Limits are SET LOCAL: they end with it, also behind a transaction pooler.

import type pg from "pg"

export interface SessionLimits {
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
}

export interface TransactionOptions extends SessionLimits {
  /** The default is "read committed". */
  readonly isolation?: "repeatable read"
  readonly readOnly?: boolean
  /**
   * The commit does not wait for the disk. Only for what may be lost when the server crashes, and for what the next
   * waiting commit makes durable too, since a server has one log.
   */
  readonly unflushed?: boolean
}

export interface QueryOptions {
  /** Prepares the statement under this name, once per connection. Ignored behind a transaction pooler. */
  readonly name?: string | undefined
  /** Of a transaction that only reads: its end is sent together with this statement. */
  readonly isLast?: boolean | undefined
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

/** BEGIN and the limits that the session does not have, as one text, so that they cost one round trip. */
export function beginStatement(options: TransactionOptions, session: SessionLimits = {}): string {
  const isolation = options.isolation ?? "read committed"
  const known = limitSettings(session)
  return [
    `begin isolation level ${isolation}${options.readOnly ? " read only" : ""}`,
    ...limitSettings(options)
      .filter(([setting, ms]) => !known.some(([name, value]) => name === setting && value === ms))
      .map(([setting, ms]) => `set local ${setting} = ${ms}`),
    ...(options.unflushed ? ["set local synchronous_commit = off"] : []),
  ].join("; ")
}

/** The server's settings behind the limits that are given, in milliseconds. */
export function limitSettings(limits: SessionLimits): [setting: string, ms: number][] {
  const settings: [string, number | undefined][] = [
    ["statement_timeout", limits.statementTimeoutMs],
    ["lock_timeout", limits.lockTimeoutMs],
    ["idle_in_transaction_session_timeout", limits.idleInTransactionTimeoutMs],
  ]
  return settings.flatMap(([setting, ms]): [string, number][] => {
    if (ms === undefined) return []
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${setting} must be whole milliseconds: ${ms}`)
    return [[setting, ms]]
  })
}
