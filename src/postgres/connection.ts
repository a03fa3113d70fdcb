// One direct connection to the database with a known backend: a lease is committed over it, and the reaper can end it.
// When it breaks, the running statements fail with DATABASE_UNREACHABLE; the process never crashes.

import type pg from "pg"
import { to as copyTo } from "pg-copy-streams"
import { IndexerError } from "../platform/errors.js"
import { BinaryRows } from "./binary-rows.js"
import { connectionTarget } from "./connection-target.js"
import { type CopiedTable, CopyIn } from "./copy-in.js"
import { databaseAddress } from "./database-address.js"
import { driver } from "./driver.js"
import { assertCommitted, assertServerVersion, toIndexerError } from "./postgres-error.js"
import { defaultAnswerTimeoutMs, SilenceWatch } from "./silence-watch.js"
import type { Backend, SqlConnection } from "./sql-connection.js"
import { beginStatement, type QueryOptions, type TransactionOptions } from "./transaction.js"

export interface ConnectionOptions {
  readonly url: string
  readonly applicationName: string
  /** The default for this connection's transactions, as is the next. */
  readonly statementTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /** How long the server may be silent while a statement waits. A longer `statementTimeoutMs` of a transaction wins. */
  readonly answerTimeoutMs?: number
  /** For a connection whose statements outside of transactions take long, such as building an index. */
  readonly longestStatementMs?: number
  /** Called once, when the connection closes for any reason. */
  readonly onClose?: () => void
}

/** The expression that `Backend.startedAt` is compared with. */
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
  readonly #options: ConnectionOptions
  #watch: SilenceWatch | undefined

  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options)
    try {
      await connection.#client.connect()
      connection.#watch = new SilenceWatch(connection.#client, {
        ...options,
        answerTimeoutMs: options.answerTimeoutMs ?? defaultAnswerTimeoutMs,
      })
      await connection.#identify()
      return connection
    } catch (error) {
      connection.destroy()
      // Before the first answer, a failure without a code means that the server cannot be reached.
      throw toIndexerError(error, { address: connection.address, connectionLost: true })
    }
  }

  private constructor(options: ConnectionOptions) {
    this.address = databaseAddress(options.url)
    this.#onClose = options.onClose
    this.#options = options
    this.#client = new driver.Client({
      ...connectionTarget(options.url),
      application_name: options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    })
    // An idle connection that breaks emits "error"; without a listener that would end the process.
    this.#client.on("error", () => this.#markClosed())
    this.#client.on("end", () => this.#markClosed())
  }

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
    const answer = this.#last.then(() => this.#answered(this.#client.query<Row>(config)))
    this.#last = answer.catch(() => undefined)
    try {
      return await answer
    } catch (error) {
      throw this.#map(error)
    }
  }

  async begin(options: TransactionOptions = {}): Promise<void> {
    const limits = { ...this.#options, ...options }
    this.#watch?.allow(limits)
    await this.#simple(beginStatement(limits))
  }

  async commit(): Promise<void> {
    this.#assertOpen()
    this.#watch?.allow()
    assertCommitted(await this.#simple("commit", { commitUnknown: true }), this.address)
  }

  async rollback(): Promise<void> {
    this.#watch?.allow()
    await this.#simple("rollback")
  }

  /** Commits what `work` did, or rolls it back when it throws. A connection that cannot roll back is destroyed. */
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
   * Binary COPY of whole rows, in the order given; returns how many were stored. The buffers come from
   * `CopyBuffer.take()`; the framing is added here, so they may come from several encoders.
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
      return await this.#answered(copy.finished)
    } catch (error) {
      throw this.#map(error)
    }
  }

  /** The rows of a query, by binary COPY. COPY takes no parameters: every value in the query must be safe as text. */
  async copyOut(query: string, { fields }: { fields: number }): Promise<BinaryRows> {
    this.#assertOpen()
    const stream = this.#client.query(copyTo(`copy (${query}) to stdout (format binary)`))
    const chunks: Buffer[] = []
    try {
      await this.#answered(collect(stream, chunks))
    } catch (error) {
      throw this.#map(error)
    }
    return new BinaryRows(Buffer.concat(chunks), fields)
  }

  destroy(): void {
    // The driver has no public way to close a connection without a message that waits behind running queries.
    const { connection } = this.#client as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
    this.#markClosed()
  }

  /** Closes the connection in order, after the running queries. `destroy` does not wait. */
  async end(): Promise<void> {
    if (this.#closed) return
    this.#watch?.ending()
    await this.#client.end()
    this.#markClosed()
  }

  async #identify(): Promise<void> {
    const result = await this.#answered(
      this.#client.query<{ pid: number; started_at: string; version: string }>(identifySql),
    )
    const row = result.rows[0]
    if (!row) throw new Error("pg_stat_activity does not show this connection")
    assertServerVersion(row.version, this.address)
    this.#backend = { pid: row.pid, startedAt: row.started_at }
  }

  async #simple(sql: string, data?: Readonly<Record<string, unknown>>): Promise<pg.QueryResult> {
    this.#assertOpen()
    try {
      return await this.#answered(this.#client.query(sql))
    } catch (error) {
      throw this.#map(error, data)
    }
  }

  async #rollbackOrDestroy(): Promise<void> {
    if (this.#closed) return
    try {
      await this.rollback()
    } catch {
      // The caller gets the error that caused the rollback; this one only means that the connection is unusable.
      this.destroy()
    }
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    return this.#watch?.answered(answer) ?? answer
  }

  #assertOpen(): void {
    if (!this.#closed) return
    throw new IndexerError("DATABASE_UNREACHABLE", `The connection to ${this.address} is closed.`)
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

async function collect(stream: AsyncIterable<unknown>, chunks: Buffer[]): Promise<void> {
  for await (const chunk of stream) chunks.push(chunk as Buffer)
}
