// A bounded pool for services and answers. Whatever runs here also works behind a transaction pooler: limits are
// SET LOCAL, locks are transaction locks, and nothing is left behind in a session unless it is said to be one's own.

import pg from "pg"
import { IndexerError } from "../platform/errors.js"
import { databaseAddress } from "./database-address.js"
import { assertServerVersion, toIndexerError } from "./postgres-error.js"
import { beginStatement, type Queryable, type TransactionOptions } from "./transaction.js"

export interface DatabaseOptions {
  readonly url: string
  readonly applicationName: string
  /** The most connections held at once; whoever comes later waits, for as long as `connectTimeoutMs`. */
  readonly maxConnections?: number
  readonly connectTimeoutMs?: number
  readonly idleTimeoutMs?: number
  /** No transaction pooler hands the sessions on: named statements stay prepared in them. */
  readonly ownSessions?: boolean
}

export class Database implements Queryable {
  readonly address: string
  readonly url: string
  readonly #pool: pg.Pool
  readonly #ownSessions: boolean
  /** Connections that broke. */
  readonly #lost = new WeakSet<pg.ClientBase>()
  #ended: Promise<void> | undefined

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.#ownSessions = options.ownSessions ?? false
    this.address = databaseAddress(options.url)
    this.#pool = new pg.Pool({
      connectionString: options.url,
      application_name: options.applicationName,
      max: options.maxConnections ?? 5,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      idleTimeoutMillis: options.idleTimeoutMs ?? 30_000,
      // Statements that do not wait for each other are sent at once. Nothing here streams, which it would not allow.
      pipeline: true,
    })
    // An idle connection that breaks is dropped by the pool; the listener keeps it from ending the process.
    this.#pool.on("error", () => undefined)
    // From its first moment on: a server's farewell may come in the very bytes that made the connection ready, before whoever asked for
    // it could listen, and an "error" that nobody listens to would end the process.
    this.#pool.on("connect", (client) => {
      const note = (): unknown => this.#lost.add(client)
      client.on("error", note)
      client.on("end", note)
    })
  }

  /** One statement on any free connection. */
  async query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params: readonly unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    return this.#withClient((client) => client.query<Row>(sql, [...params]))
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const begin = beginStatement({ idleInTransactionTimeoutMs: 10_000, ...options })
    return this.#withClient(async (client, commit) => {
      await client.query(begin)
      const result = await work({
        query: async (sql, params = [], { name } = {}) => {
          const config: pg.QueryConfig = { text: sql, values: [...params] }
          if (name !== undefined && this.#ownSessions) config.name = name
          try {
            return await client.query(config)
          } catch (error) {
            throw this.#map(error, this.#lost.has(client))
          }
        },
      })
      commit.isUnderWay = true
      const { command } = await client.query("commit")
      commit.isUnderWay = false
      if (command !== "COMMIT") throw this.#notCommitted()
      return result
    })
  }

  /** Refuses servers that are too old. Call once at start. */
  async assertSupported(): Promise<void> {
    const result = await this.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    )
    assertServerVersion(result.rows[0]!.version, this.address)
  }

  /** Waits for what is under way, then closes every connection. Safe to call twice. */
  end(): Promise<void> {
    this.#ended ??= this.#pool.end()
    return this.#ended
  }

  async #withClient<T>(work: (client: pg.PoolClient, commit: Commit) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const commit: Commit = { isUnderWay: false }
    let broken = true
    try {
      const result = await work(client, commit)
      broken = false
      return result
    } catch (error) {
      const lost = this.#lost.has(client)
      if (!lost) broken = !(await rolledBack(client))
      throw this.#map(error, lost, lost && commit.isUnderWay ? { commitUnknown: true } : undefined)
    } finally {
      client.release(broken)
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      // A failure to connect without a code is the driver's time limit.
      throw toIndexerError(error, { address: this.address, connectionLost: true })
    }
  }

  /** An error that is not the database's, thrown by the caller's own code, passes through as it is. */
  #map(error: unknown, lost: boolean, data?: Readonly<Record<string, unknown>>): unknown {
    if (!lost && !(error instanceof pg.DatabaseError)) return error
    return toIndexerError(error, { address: this.address, connectionLost: lost, ...(data ? { data } : {}) })
  }

  #notCommitted(): IndexerError {
    return new IndexerError(
      "DATABASE_ERROR",
      `The database ${this.address} rolled a transaction back instead of committing it: a statement in it had failed and its error was passed over.`,
    )
  }
}

interface Commit {
  isUnderWay: boolean
}

/** Whether the connection is clean again. Outside a transaction the server only warns. */
async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback")
    return true
  } catch {
    return false
  }
}
