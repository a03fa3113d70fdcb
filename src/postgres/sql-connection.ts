// The contract of one connection: statements, transactions, COPY, and a known backend. `Connection` implements it for
// a server; the simulation has a model of it.

import type { BinaryRows } from "./binary-rows.js"
import type { CopiedTable } from "./copy-in.js"
import type { SqlExecutor, TransactionOptions } from "./transaction.js"

export interface Backend {
  readonly pid: number
  /** Exact to the microsecond, in UTC, independent of the session's time zone: see `backendStartText`. */
  readonly startedAt: string
}

export interface SqlConnection extends SqlExecutor<SqlConnection> {
  /** The server process behind this connection. */
  readonly backend: Backend
  readonly closed: boolean
  begin(options?: TransactionOptions): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  copyIn(table: string, columns: readonly string[], buffers: readonly Buffer[]): Promise<number>
  copyInAll(tables: readonly CopiedTable[]): Promise<readonly number[]>
  copyOut(query: string, options: { fields: number }): Promise<BinaryRows>
  /** Closes the connection at once. Uncommitted work is never committed: no statement can follow. */
  destroy(): void
  end(): Promise<void>
}
