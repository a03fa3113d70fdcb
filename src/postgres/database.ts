// A bounded connection pool for services and queries. It works behind a transaction pooler: limits are SET LOCAL,
// locks are transaction locks, and sessions keep no state unless `ownSessions` is set.

import type { Socket } from "node:net"
import type pg from "pg"
import { connectionTarget } from "./connection-target.js"
import { databaseAddress } from "./database-address.js"
import { driver } from "./driver.js"
import { assertCommitted, assertServerVersion, poolExhausted, toIndexerError } from "./postgres-error.js"
import { type SessionLimits, type SessionSettings, startSettings, usualSession } from "./session-settings.js"
import { defaultAnswerTimeoutMs, SilenceWatch } from "./silence-watch.js"
import { beginStatement, type Queryable, type TransactionOptions } from "./transaction.js"

export interface DatabaseOptions {
  readonly url: string
  readonly applicationName: string
  /** The maximum number of connections. Further requests wait for up to `connectTimeoutMs`. */
  readonly maxConnections?: number
  readonly connectTimeoutMs?: number
  /** How long the server may be silent while a statement waits. A longer `statementTimeoutMs` of a transaction wins. */
  readonly answerTimeoutMs?: number
  /** For a pool whose statements take long, such as migrations. */
  readonly longestStatementMs?: number
  /** No transaction pooler shares the sessions, so named statements stay prepared in them. */
  readonly ownSessions?: boolean
  /** Every transaction of its sessions is read-only unless it says otherwise. */
  readonly readOnly?: boolean
  /** Limits that its sessions have from their start, so that transactions need not set them. Only with `ownSessions`. */
  readonly sessionLimits?: SessionLimits
  /** Its sessions are made for `fixedPlans` of transactions. Only with `ownSessions`. */
  readonly fixedPlans?: boolean
}

export class Database implements Queryable {
  readonly address: string
  readonly url: string
  readonly #pool: pg.Pool
  readonly #ownSessions: boolean
  readonly #session: SessionSettings
  readonly #lost = new WeakSet<pg.ClientBase>()
  readonly #watches = new WeakMap<pg.ClientBase, SilenceWatch>()
  readonly #idle = new Set<pg.ClientBase>()
  readonly #maxConnections: number
  /** Those that the server has accepted. */
  #connected = 0
  #ended: Promise<void> | undefined

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.#ownSessions = options.ownSessions ?? false
    this.#maxConnections = options.maxConnections ?? 5
    const { readOnly = false, sessionLimits: limits = {}, fixedPlans = false } = options
    this.#session = this.#ownSessions ? { limits, readOnly, fixedPlans } : usualSession
    const startOptions = startSettings(this.#ownSessions ? this.#session : { ...usualSession, readOnly })
    this.address = databaseAddress(options.url)
    this.#pool = new driver.Pool({
      ...connectionTarget(options.url),
      application_name: options.applicationName,
      max: this.#maxConnections,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      idleTimeoutMillis: 30_000,
      ...(startOptions.length > 0 ? { options: startOptions.map((one) => `-c ${one}`).join(" ") } : {}),
      // Statements that do not wait for each other are sent at once. Streams would not work; the pool uses none.
      pipeline: true,
    })
    // The pool drops an idle connection that breaks. Without a listener its "error" would end the process.
    this.#pool.on("error", () => undefined)
    // Listens from the start: the server may end the session in the same packet that makes the connection ready,
    // before the caller can listen, and an unhandled "error" would end the process.
    const answerTimeoutMs = options.answerTimeoutMs ?? defaultAnswerTimeoutMs
    this.#pool.on("connect", (client) => {
      this.#connected++
      this.#watches.set(client, new SilenceWatch(client, { ...options, answerTimeoutMs }))
      const note = (): unknown => this.#lost.add(client)
      client.on("error", note)
      client.on("end", note)
    })
    this.#pool.on("acquire", (client) => this.#idle.delete(client))
    this.#pool.on("release", (_error, client) => {
      if (this.#ended) this.#watches.get(client)?.ending()
      else this.#idle.add(client)
    })
    this.#pool.on("remove", (client) => {
      this.#idle.delete(client)
      if (this.#watches.has(client)) this.#connected--
    })
  }

  /** One statement on any free connection. */
  async query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params: readonly unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    return this.#withClient(({ client, watch }) => watch.answered(client.query<Row>(sql, [...params])))
  }

  /**
   * One that only reads has no fate of its own: its BEGIN is sent with the first statement, and nobody waits for its end.
   * A single statement needs neither where the session has all that BEGIN would set: it sees one snapshot anyway.
   */
  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const begin = beginStatement({ idleInTransactionTimeoutMs: 10_000, ...options }, this.#session)
    const mayBeBare = options.readOnly && this.#session.readOnly && !begin.includes(";")
    return this.#withClient(async (lent) => {
      const { client, watch, commit } = lent
      watch.allow(options)
      let begun: Promise<unknown> | undefined
      let isOver = false
      const start = (): Promise<unknown> => {
        begun = watch.answered(client.query(begin))
        begun.catch(() => undefined)
        return begun
      }
      if (!options.readOnly) await start()
      const result = await work({
        query: async (sql, params = [], { name, isLast } = {}) => {
          if (isOver) throw new Error("a statement came after the last of its transaction")
          isOver = isLast === true && options.readOnly === true
          const isBare = isOver && mayBeBare && begun === undefined
          if (options.readOnly && !isBare && (begun === undefined || isLast)) sendTogether(client)
          if (begun === undefined && !isBare) void start()
          const config: pg.QueryConfig = { text: sql, values: [...params] }
          if (name !== undefined && this.#ownSessions) config.name = name
          const answer = watch.answered(client.query(config))
          if (isOver && !isBare) lent.ending = ended(lent)
          try {
            return await answer
          } catch (error) {
            throw this.#map(error, this.#lost.has(client))
          }
        },
      })
      await begun
      if (options.readOnly) {
        if (begun) lent.ending ??= ended(lent)
        return result
      }
      commit.isUnderWay = true
      const committed = await watch.answered(client.query("commit"))
      commit.isUnderWay = false
      assertCommitted(committed, this.address)
      return result
    })
  }

  /** Throws for a server that is too old. Call once at start. */
  async assertSupported(): Promise<void> {
    const result = await this.query<{ version: string }>("select current_setting('server_version_num') as version")
    assertServerVersion(result.rows[0]!.version, this.address)
  }

  /** Waits for running statements, then closes every connection. Safe to call twice. */
  end(): Promise<void> {
    if (this.#ended) return this.#ended
    this.#ended = this.#pool.end()
    // Those in use follow when they are released.
    for (const client of this.#idle) this.#watches.get(client)?.ending()
    return this.#ended
  }

  async #withClient<T>(work: (lent: Lent) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const commit = { isUnderWay: false }
    const watch = this.#watches.get(client)!
    const lent: Lent = { client, watch, commit, ending: undefined }
    let broken = true
    try {
      const result = await work(lent)
      broken = false
      return result
    } catch (error) {
      const lost = this.#lost.has(client)
      if (!lost) broken = !(await rolledBack({ client, watch }))
      throw this.#map(error, lost, lost && commit.isUnderWay ? { commitUnknown: true } : undefined)
    } finally {
      if (lent.ending) void lent.ending.then((ended) => this.#giveBack(lent, !ended))
      else this.#giveBack(lent, broken)
    }
  }

  #giveBack({ client, watch }: Lent, broken: boolean): void {
    watch.allow()
    client.release(broken)
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      const isTimeout = typeof (error as { code?: unknown }).code !== "string"
      // All are open and in use: the server has not failed, there is too much to ask of it at once.
      if (isTimeout && !this.#ended && this.#connected >= this.#maxConnections)
        throw poolExhausted(error, { address: this.address, connections: this.#maxConnections })
      // A connect error without a code is the driver's timeout.
      throw toIndexerError(error, { address: this.address, connectionLost: true })
    }
  }

  /** An error of the caller's own code passes through unchanged. */
  #map(error: unknown, lost: boolean, data?: Readonly<Record<string, unknown>>): unknown {
    if (!lost && !(error instanceof driver.DatabaseError)) return error
    return toIndexerError(error, { address: this.address, connectionLost: lost, ...(data ? { data } : {}) })
  }
}

interface Lent {
  readonly client: pg.PoolClient
  readonly watch: SilenceWatch
  readonly commit: { isUnderWay: boolean }
  /** Nobody waits for it: whether the connection is usable again. */
  ending: Promise<boolean> | undefined
}

/** Ends a transaction that only reads. Answers whether the connection is usable again. */
const ended = ({ client, watch }: Lent): Promise<boolean> =>
  watch.answered(client.query("commit")).then(
    () => true,
    () => false,
  )

/** What is sent before the next turn leaves in one packet: a write costs more than most statements that only read. */
function sendTogether(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Whether the connection is usable again. Outside a transaction the server only warns. */
async function rolledBack({ client, watch }: Pick<Lent, "client" | "watch">): Promise<boolean> {
  try {
    watch.allow()
    await watch.answered(client.query("rollback"))
    return true
  } catch {
    return false
  }
}
