// One store on a real server and the processes that work on it, with the short leases that fault runs use. Whatever a
// test started is ended by `close`.

import { randomUUID } from "node:crypto"
import { hostname, tmpdir } from "node:os"
import type { PrivatePostgres } from "../support/private-postgres.js"
import { type DigestOptions, digestRaw, type RawDigest } from "../support/raw-digest.js"
import { StoreProbe } from "../support/store-probe.js"
import { runTidemark, type TidemarkProcess } from "../support/tidemark-process.js"
import { waitUntil } from "../support/wait-until.js"

type Env = Readonly<Record<string, string>>

export const leaseMs = 2_000
export const reapMs = 500

const faultSettings: Env = {
  THREADS: "2",
  LEASE_TTL_MS: String(leaseMs),
  HEAD_LEASE_TTL_MS: String(leaseMs),
  REAP_INTERVAL_MS: String(reapMs),
}

export interface StageOptions {
  readonly postgres: PrivatePostgres
  readonly rpcUrl: string
  readonly env?: Env
}

export class Stage {
  readonly url: string
  readonly probe: StoreProbe
  readonly #options: StageOptions
  readonly #members: TidemarkProcess[] = []

  static async open(options: StageOptions): Promise<Stage> {
    const name = `stage_${randomUUID().replaceAll("-", "")}`
    await options.postgres.ensureDatabase(name)
    return new Stage(options.postgres.url(name), options)
  }

  private constructor(url: string, options: StageOptions) {
    this.url = url
    this.probe = new StoreProbe(url)
    this.#options = options
  }

  /** Those that have not ended. */
  get members(): readonly TidemarkProcess[] {
    return this.#members.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  }

  start({ env = {}, args = [] }: { env?: Env; args?: readonly string[] } = {}): TidemarkProcess {
    const member = runTidemark(["start", "--roles", "ingest", ...args], {
      // Nothing of the checkout's own: no config file, no data directory.
      cwd: tmpdir(),
      env: {
        ...faultSettings,
        PORT: "0",
        DB_RAW_URL: this.url,
        RPC_URL: this.#options.rpcUrl,
        ...this.#options.env,
        ...env,
      },
    })
    this.#members.push(member)
    return member
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
        ...lines.filter(
          ({ level, code }) => level === "fatal" || code === "BUG" || code === "DATABASE_ERROR",
        ),
        ...errors,
      ])
      .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
  }

  /** What each process says last, for a failure's message. */
  report(): string {
    return this.#members.map((member) => `process ${member.pid}\n${tail(member)}`).join("\n\n")
  }

  /** Resolves when the store covers exactly [0, to) and no work is left. */
  async complete(to: number, timeoutMs: number): Promise<void> {
    try {
      await waitUntil(async () => (await this.probe.coverage()) === `{[0,${to})}`, {
        what: `every block below ${to} stored`,
        timeoutMs,
        everyMs: 100,
      })
    } catch (error) {
      throw new Error(await this.describe(), { cause: error })
    }
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
    return [
      coverage,
      ...[...left.slice(0, 20), ...backends].map((row) => JSON.stringify(row)),
      this.report(),
    ].join("\n")
  }

  digest(without?: DigestOptions): Promise<RawDigest> {
    return digestRaw(this.url, without)
  }

  async close(): Promise<void> {
    for (const member of this.members) member.kill("SIGKILL")
    await Promise.all(this.#members.map(({ exit }) => exit))
    await this.probe.close()
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
