// One store on a real server and the processes that work on it, with the short leases that fault runs use. Whatever a
// test started is ended by `close`.

import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { DerivedProbe } from "../../test/support/derived-probe.js"
import { type DigestOptions, digestRaw, type RawDigest } from "../../test/support/raw-digest.js"
import { StoreProbe } from "../../test/support/store-probe.js"
import { runTidemark, type TidemarkProcess } from "../../test/support/tidemark-process.js"
import { patienceMs, type WaitOptions, waitUntil } from "../../test/support/wait-until.js"
import { type CheckReport, checkDerived } from "../checker/check-derived.js"
import { formatReport } from "../checker/format-report.js"

type Env = Readonly<Record<string, string>>

export const leaseMs = 2_000
export const reapMs = 500

const faultSettings: Env = {
  LEASE_TTL_MS: String(leaseMs),
  HEAD_LEASE_TTL_MS: String(leaseMs),
  REAP_INTERVAL_MS: String(reapMs),
}

/** A server, or a way to one. */
interface DatabaseServer {
  url(database: string): string
  ensureDatabase(name: string): Promise<void>
  /** A failover takes back commits that were answered. */
  readonly losesCommits?: boolean
}

export interface StageOptions {
  readonly postgres: DatabaseServer
  /** A server of its own for derived tables. */
  readonly appPostgres?: DatabaseServer
  /** The way that the processes go to a database, where it is not the straight one that the test itself takes. */
  readonly way?: (url: string) => string
  readonly rpcUrl: string
  readonly env?: Env
  /** ingest alone unless given. */
  readonly roles?: string
  /** Derived tables in a database of their own. */
  readonly twoDatabases?: boolean
  /** The text of a tidemark.config.ts. */
  readonly config?: string
  /** What it ends with is not compared with the run of an undisturbed process. */
  readonly checkerOnly?: boolean
}

const complaints = ["BUG", "DATABASE_ERROR", "FOLD_DAMAGED"]

export class Stage {
  readonly url: string
  readonly appUrl: string
  readonly probe: StoreProbe
  readonly derived: DerivedProbe
  /** Where the processes run: nothing of the checkout's own is there, no config file and no data directory. */
  readonly #directory: string
  readonly #options: StageOptions
  readonly #members: TidemarkProcess[] = []
  readonly #ending: (() => Promise<unknown>)[] = []

  static async open(options: StageOptions): Promise<Stage> {
    const { postgres, appPostgres = postgres, twoDatabases = appPostgres !== postgres } = options
    const name = `stage_${randomUUID().replaceAll("-", "")}`
    const appName = twoDatabases ? `${name}_app` : name
    // Retried: a scenario that computes a chain in this thread can make the connection time out.
    const ensure = (server: DatabaseServer, database: string): Promise<true> =>
      waitUntil(() => server.ensureDatabase(database).then(() => true), { what: `the database ${database}` })
    await ensure(postgres, name)
    if (twoDatabases) await ensure(appPostgres, appName)
    const directory = await mkdtemp(join(tmpdir(), "tidemark-test-stage-"))
    const stage = new Stage({ url: postgres.url(name), appUrl: appPostgres.url(appName) }, options, directory)
    if (options.config !== undefined) await stage.setConfig(options.config)
    return stage
  }

  /** Without a trace: whatever app remembers may be less than it was. */
  get appLosesCommits(): boolean {
    return (this.#options.appPostgres ?? this.#options.postgres).losesCommits ?? false
  }

  get checkerOnly(): boolean {
    return this.#options.checkerOnly ?? false
  }

  private constructor(urls: { url: string; appUrl: string }, options: StageOptions, directory: string) {
    this.url = urls.url
    this.appUrl = urls.appUrl
    this.probe = new StoreProbe(this.url)
    this.derived = new DerivedProbe(this.appUrl)
    this.#options = options
    this.#directory = directory
  }

  /** Read by processes that start from now on. */
  async setConfig(text: string): Promise<void> {
    await writeFile(join(this.#directory, "tidemark.config.ts"), text)
  }

  /** Those that have not ended. */
  get members(): readonly TidemarkProcess[] {
    return this.#members.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  }

  start({
    env = {},
    args = [],
    roles = this.#options.roles ?? "ingest",
  }: {
    env?: Env
    args?: readonly string[]
    roles?: string
  } = {}): TidemarkProcess {
    const member = this.run(["start", "--roles", roles, ...args], env)
    this.#members.push(member)
    return member
  }

  /** Kills it as kill -9 does and starts another. */
  async replace(victim: TidemarkProcess): Promise<TidemarkProcess> {
    await victim.end("SIGKILL")
    return this.start()
  }

  /** Any command of the program, on this store. */
  run(args: readonly string[], env: Env = {}): TidemarkProcess {
    const { way = (url: string) => url } = this.#options
    return runTidemark(args, {
      cwd: this.#directory,
      env: {
        ...faultSettings,
        // Two do not fit into a process that derives as well.
        THREADS: this.#derives ? "1" : "2",
        PORT: "0",
        DB_RAW_URL: way(this.url),
        DB_APP_URL: way(this.appUrl),
        RPC_URL: this.#options.rpcUrl,
        ...this.#options.env,
        ...env,
      },
    })
  }

  /** Starts one process that ends by itself when everything up to `endBlock` is stored. */
  async runToEnd(endBlock: number, env: Env = {}): Promise<void> {
    const args = ["--end-block", String(endBlock), "--exit-when-done"]
    const member = this.start({ args, env })
    const code = await member.exit
    if (code !== 0) throw new Error(`it ended with ${code}:\n${tail(member)}`)
  }

  /** What no fault outside of the process explains: bugs, and statements that the database refused. */
  complaints(): string[] {
    return this.#members
      .flatMap(({ lines, errors }) => [
        ...lines.filter(({ level, code }) => level === "fatal" || complaints.includes(String(code))),
        ...errors,
      ])
      .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
  }

  /** What each process says last, for a failure's message. */
  report(): string {
    return this.#members.map((member) => `process ${member.pid}\n${tail(member)}`).join("\n\n")
  }

  /** What those say last that ended and were not killed. */
  gaveUp(): string[] {
    return this.#members
      .filter(({ child }) => child.exitCode !== null)
      .map((member) => `process ${member.pid} ended with ${member.child.exitCode}\n${tail(member)}`)
  }

  /** As `waitUntil`; the error describes the store and its processes. */
  until<T>(look: Parameters<typeof waitUntil<T>>[0], options: WaitOptions): Promise<T> {
    return waitUntil(look, options).catch(async (error) => {
      throw new Error(await this.describe(), { cause: error })
    })
  }

  /** Resolves when the store covers exactly [0, to) and no work is left. */
  async complete(to: number, timeoutMs = patienceMs): Promise<void> {
    await this.until(async () => (await this.probe.coverage()) === `{[0,${to})}`, {
      ...{ what: `every block below ${to} stored`, timeoutMs, everyMs: 100 },
    })
  }

  /** Resolves when every worker covers exactly [0, to). */
  async derivedTo(to: number, timeoutMs = patienceMs, workers?: readonly string[]): Promise<void> {
    try {
      const done = () => this.derived.covers(`{[0,${to})}`, workers)
      await waitUntil(async () => this.members.length === 0 || (await done()), {
        what: `every worker done below ${to}`,
        timeoutMs,
        everyMs: 100,
      })
      if (!(await done())) throw new Error("nobody is left to do it")
    } catch (error) {
      const coverage = JSON.stringify(await this.derived.coverage().catch(String))
      const left = JSON.stringify(await this.derived.leases().catch(String))
      throw new Error(`${coverage}\n${left}\n${await this.describe()}`, { cause: error })
    }
  }

  /** How many blocks are done: stored, and where this stage derives, derived by every worker on average. */
  async progress(): Promise<number> {
    if (!this.#derives) return this.probe.storedBlocks()
    const workers = Object.keys(await this.derived.coverage()).length
    return workers === 0 ? 0 : Math.floor((await this.derived.done()) / workers)
  }

  /** Resolves when so many blocks are done. */
  async reach(due: number, { what, timeoutMs }: { what: string; timeoutMs: number }): Promise<void> {
    await this.until(async () => (await this.progress()) >= due, { what, timeoutMs, everyMs: 20 })
  }

  /** Resolves when everything below `to` is stored, and where this stage derives, derived. */
  async finish(to: number, timeoutMs = patienceMs): Promise<void> {
    const began = performance.now()
    await this.complete(to, timeoutMs)
    // One bound for both; what was derived meanwhile is seen with the first look.
    const leftMs = Math.max(1_000, timeoutMs - (performance.now() - began))
    if (this.#derives) await this.derivedTo(to, leftMs)
  }

  get #derives(): boolean {
    return (this.#options.roles ?? "").includes("work")
  }

  /** Throws where a derived table is not what the checker makes of raw. */
  async check(): Promise<CheckReport> {
    const report = await checkDerived({ rawUrl: this.url, appUrl: this.appUrl })
    if (!report.ok) throw new Error(formatReport(report))
    return report
  }

  /** All that helps to understand why something did not happen. */
  async describe(): Promise<string> {
    const coverage = await this.probe.coverage().catch(String)
    const left = await this.probe.unfinished().catch(() => [])
    const backends = await this.probe
      .rows(
        `select pid, application_name, state, wait_event_type, wait_event, pg_blocking_pids(pid) as behind,
           clock_timestamp() - xact_start as since, left(query, 90) as query
         from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      .catch(() => [])
    return [coverage, ...[...left.slice(0, 20), ...backends].map((row) => JSON.stringify(row)), this.report()].join(
      "\n",
    )
  }

  /** How many there were: at least one for each time that another branch was seen to be stored. */
  async rollbacks(least: number): Promise<number> {
    const [row] = await this.probe.rows<{ n: number }>("select count(*)::int4 as n from raw.rollbacks")
    assert.ok(row!.n >= least, `${row!.n} rollbacks for ${least} branches`)
    return row!.n
  }

  digest(without?: DigestOptions): Promise<RawDigest> {
    return digestRaw(this.url, without)
  }

  /** Called when this stage is closed, before anything is ended. */
  ending(end: () => Promise<unknown>): void {
    this.#ending.push(end)
  }

  async close(): Promise<void> {
    for (const end of this.#ending.splice(0)) await end()
    for (const member of this.members) member.kill("SIGKILL")
    await Promise.all(this.#members.map(({ exit }) => exit))
    await this.probe.close()
    await this.derived.close()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** As leases name a process. */
export const holderOf = ({ pid }: TidemarkProcess): string => `${hostname()}:${pid}`

/** The tables as one process alone makes them, with one thread and nobody to disturb it. */
export async function undisturbed(
  options: StageOptions,
  endBlock: number,
  without?: DigestOptions,
): Promise<RawDigest> {
  const stage = await Stage.open(options)
  try {
    await stage.runToEnd(endBlock, { THREADS: "1" })
    return await stage.digest(without)
  } finally {
    await stage.close()
  }
}

const tail = ({ lines, errors }: TidemarkProcess): string =>
  [...lines.slice(-12).map((line) => JSON.stringify(line)), ...errors.slice(-12)].join("\n")
