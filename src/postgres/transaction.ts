// The options of a transaction. Limits are SET LOCAL: they end with it, also behind a transaction pooler.

import type pg from "pg"
import {
  limitSettings,
  planSettings,
  type SessionLimits,
  type SessionSettings,
  usualSession,
} from "./session-settings.js"

export interface TransactionOptions extends SessionLimits {
  /** The default is "read committed". */
  readonly isolation?: "repeatable read"
  readonly readOnly?: boolean
  /** Its statements keep one plan for all values, where the sessions are made for that. */
  readonly fixedPlans?: boolean
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

/** BEGIN and the settings that the session does not have, as one text, so that they cost one round trip. */
export function beginStatement(options: TransactionOptions, session: SessionSettings = usualSession): string {
  const isolation = options.isolation ?? "read committed"
  const known = limitSettings(session.limits)
  return [
    `begin isolation level ${isolation}${options.readOnly ? " read only" : ""}`,
    ...limitSettings(options)
      .filter(([setting, ms]) => !known.some(([name, value]) => name === setting && value === ms))
      .map(([setting, ms]) => `set local ${setting} = ${ms}`),
    ...(session.fixedPlans && !options.fixedPlans
      ? planSettings.map(({ setting, usual }) => `set local ${setting} = ${usual}`)
      : []),
    ...(options.unflushed ? ["set local synchronous_commit = off"] : []),
  ].join("; ")
}
