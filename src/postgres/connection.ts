// One direct connection to the database, whose backend is known by name: whoever holds a lease commits over it, and the
// reaper can end it. Losing it is a DATABASE_UNREACHABLE of whatever was under way; it never crashes the process.

import pg from "pg"
import { to as copyTo } from "pg-copy-streams"
import { IndexerError } from "../platform/errors.js"
import { BinaryRows } from "./binary-rows.js"
import { type CopiedTable, CopyIn } from "./copy-in.js"
import { databaseAddress } from "./database-address.js"
import { assertServerVersion, toIndexerError } from "./postgres-error.js"
import type { Backend, SqlConnection } from "./sql-connection.js"
import { beginStatement, type QueryOptions, type TransactionOptions } from "./transaction.js"

export interface ConnectionOptions {
  readonly url: string
  readonly applicationName: string
  /** For every transaction of this connection that does not say otherwise. */
  readonly statementTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /** Called once, when the connection is gone for whatever reason. */
  readonly onClose?: () => void
}

/** The expression whose text `Backend.startedAt` is compared with. */
export const backendStartText = `to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const identifySql = `select pid, ${backendStartText} as started_at, current_setting('server_version_num') as version
  from pg_stat_activity where pid = pg_backend_pid()`

export class Connection implements SqlConnection {
  readonly address: string
  #backend: Backend = { pid: 0, startedAt: "" }
  #closed = false
  #onClose: (() => void) | undefined
  #last: Promise<unknown> = Promise.resolve()
  readonly #client: pg.Client
  readonly #defaults: TransactionOptions

  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options)
    try {
      await connection.#client.connect()
      await connection.#identify()
      return connection
    } catch (error) {
      connection.destroy()
      // Until a query was answered every failure without a code of its own is one of reaching the server.
      throw toIndexerError(error, { address: connection.address, connectionLost: true })
    }
  }

  private constructor(options: ConnectionOptions) {
    this.address = databaseAddress(options.url)
    this.#onClose = options.onClose
    this.#defaults = {
      ...(options.statementTimeoutMs === undefined ? {} : { statementTimeoutMs: options.statementTimeoutMs }),
      ...(options.idleInTransactionTimeoutMs === undefined
        ? {}
        : { idleInTransactionTimeoutMs: options.idleInTransactionTimeoutMs }),
    }
    this.#client = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    })
    // An idle connection that breaks emits "error"; without a listener that would end the process.
    this.#client.on("error", () => this.#markClosed())
    this.#client.on("end", () => this.#markClosed())
  }

  /** The server process behind this connection. */
  get backend(): Backend {
    return this.#backend
  }

  get closed(): boolean {
    return this.#closed
  }

  async query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params: readonly unknown[] = [],
    options: QueryOptions = {},
  ): Promise<pg.QueryResult<Row>> {
    this.#assertOpen()
    const config: pg.QueryConfig = { text: sql, values: [...params] }
    if (options.name !== undefined) config.name = options.name
    // One at a time: a connection that can COPY cannot pipeline.
    const answer = this.#last.then(() => this.#client.query<Row>(config))
    this.#last = answer.catch(() => undefined)
    try {
      return await answer
    } catch (error) {
      throw this.#map(error)
    }
  }

  async begin(options: TransactionOptions = {}): Promise<void> {
    await this.#simple(beginStatement({ ...this.#defaults, ...options }))
  }

  async commit(): Promise<void> {
    this.#assertOpen()
    const result = await this.#simple("commit", { commitUnknown: true })
    // The server answers the commit of a failed transaction with a rollback, and without an error.
    if (result.command !== "COMMIT") {
      throw new IndexerError(
        "DATABASE_ERROR",
        `The database ${this.address} rolled a transaction back instead of committing it: a statement in it had failed and its error was passed over.`,
      )
    }
  }

  async rollback(): Promise<void> {
    await this.#simple("rollback")
  }

  /** Commits what `work` did, or rolls it back when it throws. A connection that cannot even roll back is destroyed. */
  async transaction<T>(work: (tx: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    await this.begin(options)
    let result: T
    try {
      result = await work(this)
    } catch (error) {
      await this.#rollbackOrDestroy()
      throw error
    }
    await this.commit()
    return result
  }

  /**
   * Binary COPY of whole rows, in the order given; returns how many were stored. The buffers are `CopyBuffer.take()`s: the
   * framing is added here, so they may come from several encoders. They must not change until the promise settles.
   */
  async copyIn(table: string, columns: readonly string[], buffers: readonly Buffer[]): Promise<number> {
    const [stored] = await this.copyInAll([{ table, columns, buffers }])
    return stored!
  }

  /** The same for several tables, one after the other. */
  async copyInAll(tables: readonly CopiedTable[]): Promise<readonly number[]> {
    this.#assertOpen()
    if (tables.length === 0) return []
    const copy = new CopyIn(tables)
    this.#client.query(copy)
    try {
      return await copy.finished
    } catch (error) {
      throw this.#map(error)
    }
  }

  /** The rows of a query as binary COPY. The query takes no parameters: whatever goes into it must be safe as text. */
  async copyOut(query: string, { fields }: { fields: number }): Promise<BinaryRows> {
    this.#assertOpen()
    const stream = this.#client.query(copyTo(`copy (${query}) to stdout (format binary)`))
    const chunks: Buffer[] = []
    try {
      for await (const chunk of stream) chunks.push(chunk as Buffer)
    } catch (error) {
      throw this.#map(error)
    }
    return new BinaryRows(Buffer.concat(chunks), fields)
  }

  /** Cuts the socket at once. What was not yet committed never will be: no statement can follow. */
  destroy(): void {
    // The driver has no public way to drop a connection without a farewell that waits behind running queries.
    const { connection } = this.#client as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
    this.#markClosed()
  }

  /** Says goodbye to the server. For shutdown; `destroy` when it must not wait. */
  async end(): Promise<void> {
    if (this.#closed) return
    await this.#client.end()
    this.#markClosed()
  }

  async #identify(): Promise<void> {
    const result = await this.#client.query<{ pid: number; started_at: string; version: string }>(identifySql)
    const row = result.rows[0]
    if (!row) throw new Error("pg_stat_activity does not show this connection")
    assertServerVersion(row.version, this.address)
    this.#backend = { pid: row.pid, startedAt: row.started_at }
  }

  async #simple(sql: string, data?: Readonly<Record<string, unknown>>): Promise<pg.QueryResult> {
    this.#assertOpen()
    try {
      return await this.#client.query(sql)
    } catch (error) {
      throw this.#map(error, data)
    }
  }

  async #rollbackOrDestroy(): Promise<void> {
    if (this.#closed) return
    try {
      await this.rollback()
    } catch {
      // The caller learns of the error that made it roll back; this one only says that the connection is of no more use.
      this.destroy()
    }
  }

  #assertOpen(): void {
    if (!this.#closed) return
    throw new IndexerError(
      "DATABASE_UNREACHABLE",
      `The connection to the database ${this.address} is closed.`,
    )
  }

  #map(error: unknown, data?: Readonly<Record<string, unknown>>): IndexerError {
    return toIndexerError(error, {
      address: this.address,
      connectionLost: this.#closed,
      ...(data && this.#closed ? { data } : {}),
    })
  }

  #markClosed(): void {
    this.#closed = true
    const onClose = this.#onClose
    this.#onClose = undefined
    onClose?.()
  }
}
