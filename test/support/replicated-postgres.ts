// A server with a streaming standby, under one address that follows whichever of the two is the primary. The npm binaries have neither
// pg_basebackup nor pg_rewind, so a standby begins as a copy of the primary's files, taken while it is stopped.

import { execFile } from "node:child_process"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { PrivatePostgres, startPrivatePostgres } from "./private-postgres.js"
import { type SteeredProxy, startSteeredProxy } from "./steered-proxy.js"
import { waitUntil } from "./wait-until.js"

const settings = { wal_level: "replica", max_wal_senders: "4", hot_standby: "on", wal_receiver_timeout: "0" }

export class ReplicatedPostgres {
  #primary: PrivatePostgres
  #standby: PrivatePostgres | undefined
  readonly #isSynchronous: boolean
  readonly #way: SteeredProxy
  readonly #line: SteeredProxy

  static async start({ synchronous }: { synchronous: boolean }): Promise<ReplicatedPostgres> {
    const primary = await startPrivatePostgres({ settings })
    const cluster = new ReplicatedPostgres(primary, {
      ...{ synchronous, way: await startSteeredProxy(), line: await startSteeredProxy() },
    })
    await cluster.makeStandby()
    return cluster
  }

  private constructor(
    primary: PrivatePostgres,
    options: { synchronous: boolean; way: SteeredProxy; line: SteeredProxy },
  ) {
    this.#primary = primary
    this.#isSynchronous = options.synchronous
    this.#way = options.way
    this.#line = options.line
  }

  /** What was answered while the standby heard nothing. */
  get losesCommits(): boolean {
    return !this.#isSynchronous
  }

  /** The same before and after a failover. */
  url(database: string): string {
    const url = new URL(this.#primary.url(database))
    url.port = String(this.#way.port)
    return url.href
  }

  ensureDatabase(name: string): Promise<void> {
    return this.#primary.ensureDatabase(name)
  }

  /** A new standby of the present primary, which is away for the time of a copy. */
  async makeStandby(): Promise<void> {
    const primary = this.#primary
    this.#way.lead(undefined)
    await ask(primary, "alter system reset synchronous_standby_names")
    await primary.stop("fast")
    const directory = await mkdtemp(join(tmpdir(), "tidemark-test-pg-"))
    await chmod(directory, 0o755)
    const files = join(directory, "postgres")
    // With owners and modes, which the server insists on.
    await promisify(execFile)("cp", ["-a", join(primary.directory, "postgres"), files])
    await rm(join(files, "postmaster.pid"), { force: true })
    await writeFile(join(files, "standby.signal"), "")
    await primary.start()
    this.#line.lead(primary.port)
    const { username, password } = new URL(primary.url("postgres"))
    const standby = new PrivatePostgres(directory, {
      settings: {
        ...settings,
        primary_conninfo: `host=127.0.0.1 port=${this.#line.port} user=${username} password=${password}`,
      },
    })
    this.#standby = standby
    await standby.start()
    await replicating(primary, "streaming", "async")
    if (this.#isSynchronous) {
      await ask(primary, "alter system set synchronous_standby_names = '*'")
      await ask(primary, "select pg_reload_conf()")
      await replicating(primary, "streaming", "sync")
    }
    this.#way.lead(primary.port)
  }

  /** From now on the standby hears nothing, and without synchronous commits nobody notices. */
  stallReplication(): void {
    this.#line.stall()
  }

  /** The primary dies, the standby takes its place. Returns how many bytes of the log are lost with it. */
  async failOver(): Promise<number> {
    const [old, next] = [this.#primary, this.#standby!]
    const [written] = await ask(old, "select pg_current_wal_flush_lsn()::text as at")
    await old.stop("immediate")
    this.#way.lead(undefined)
    this.#line.lead(undefined)
    const [lost] = await ask(
      next,
      "select greatest(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_receive_lsn()), 0)::int8::text as bytes",
      [written!["at"]],
    )
    await ask(next, "select pg_promote(true, 60)")
    await ask(next, "alter system reset synchronous_standby_names")
    await ask(next, "select pg_reload_conf()")
    this.#primary = next
    this.#standby = undefined
    this.#way.lead(next.port)
    await old.remove()
    return Number(lost!["bytes"])
  }

  get directories(): string[] {
    return [this.#primary, ...(this.#standby ? [this.#standby] : [])].map(({ directory }) => directory)
  }

  async close({ keep }: { keep: boolean }): Promise<void> {
    for (const server of [this.#standby, this.#primary]) await (keep ? server?.stop("fast") : server?.remove())
    await this.#way.close()
    await this.#line.close()
  }
}

async function ask(
  server: PrivatePostgres,
  sql: string,
  params: readonly unknown[] = [],
): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: server.url("postgres") })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query(sql, [...params])).rows
  } finally {
    await client.end()
  }
}

async function replicating(server: PrivatePostgres, state: string, how: "async" | "sync"): Promise<void> {
  await waitUntil(
    async () => {
      const rows = await ask(server, "select state, sync_state from pg_stat_replication")
      return rows.some((row) => row["state"] === state && row["sync_state"] === how)
    },
    { what: `a standby that is ${state}, ${how}` },
  )
}
