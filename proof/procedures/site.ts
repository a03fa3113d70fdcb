// What an operator has: a server, a node whose chain goes on, processes that run on it, and a shell. The leases last as
// long as they do by default.

import assert from "node:assert/strict"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { DerivedProbe } from "../../test/support/derived-probe.js"
import { StoreProbe } from "../../test/support/store-probe.js"
import { program, runTidemark, type TidemarkProcess } from "../../test/support/tidemark-process.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { checkDerived } from "../checker/check-derived.js"
import { checkRaw } from "../checker/check-raw.js"
import type { Guide } from "./guide.js"
import { placeOfServer, SystemPostgres } from "./system-postgres.js"

type Env = Readonly<Record<string, string>>

const chain = { blocks: 5_000, transactionsPerBlock: 3, logsPerBlock: 8, holders: 40, tokenIds: 20 } as const
const startHead = 300

export interface Urls {
  readonly raw: string
  readonly app: string
}

export class Site {
  readonly #ending: (() => Promise<unknown>)[] = []

  private constructor(
    readonly guide: Guide,
    readonly directory: string,
    readonly node: RunningChainServer,
  ) {}

  static async open(guide: Guide): Promise<Site> {
    const directory = await mkdtemp(join(tmpdir(), "tidemark-procedure-"))
    await chmod(directory, 0o755)
    // What `npx tidemark` runs where the package is installed.
    await mkdir(join(directory, "bin"))
    const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`
    await writeFile(join(directory, "bin", "npx"), npx, { mode: 0o755 })
    const node = await startChainServer({ ...chain, startHead, blockMs: 500, finality: 20 })
    const site = new Site(guide, directory, node)
    site.ending(() => rm(directory, { recursive: true, force: true }))
    site.ending(() => node.stop())
    return site
  }

  ending(end: () => Promise<unknown>): void {
    this.#ending.push(end)
  }

  async close(): Promise<void> {
    for (const end of this.#ending.splice(0).reverse()) await end()
  }

  async postgres(): Promise<SystemPostgres> {
    const server = await SystemPostgres.start()
    this.ending(() => server.remove())
    return server
  }

  /** A directory that the server's user owns, for a base backup. */
  async place(): Promise<string> {
    const place = await placeOfServer()
    this.ending(() => rm(place, { recursive: true, force: true }))
    return place
  }

  /** Other blocks from this height on. */
  reorganize(at: number, forkSeed: number): void {
    const { server } = this.node
    this.node.reorg(server.chain.fork({ at, seed: forkSeed }), server.head + 1)
  }

  start(urls: Urls, { env = {}, args = [], release }: { env?: Env; args?: string[]; release?: string } = {}) {
    const command = release === undefined ? {} : { command: [process.execPath, release] as const }
    const member = runTidemark(["start", ...args], {
      ...{ cwd: this.directory, env: { ...this.#env(urls), PORT: "0", ...env }, ...command },
    })
    this.ending(() => member.end("SIGKILL"))
    return member
  }

  /** A block of the guide. */
  run(heading: string, nth: number, env: Env, { asServer = false } = {}): Promise<string> {
    const path = `${join(this.directory, "bin")}:${process.env["PATH"]}`
    const all = { HOME: this.directory, LOG_FORMAT: "pretty", RPC_URL: this.node.url, ...env, PATH: path }
    return this.guide.run(heading, nth, { cwd: this.directory, env: all, asServer })
  }

  /** Until everything up to the head of this moment is stored and derived. */
  async caughtUp(urls: Urls, members: readonly TidemarkProcess[]): Promise<number> {
    const { head } = this.node.server
    const probe = new DerivedProbe(urls.app)
    try {
      await waitUntil(
        async () => {
          for (const { child, errors } of members)
            assert.ok(child.exitCode === null && child.signalCode === null, `a process ended: ${errors.join("\n")}`)
          const coverage = Object.values(await probe.coverage())
          return coverage.length > 8 && coverage.every((heights) => endOf(heights) > head)
        },
        { what: `everything derived up to ${head}`, everyMs: 100 },
      )
    } finally {
      await probe.close()
    }
    return head
  }

  /** Verify finds nothing, and a second program computes the very same rows. */
  async verified(urls: Urls): Promise<void> {
    const verify = runTidemark(["verify", "--rpc", this.node.url], { cwd: this.directory, env: this.#env(urls) })
    const code = await verify.exit
    assert.equal(code, 0, verify.lines.map(({ msg }) => msg).join("\n") + verify.errors.join("\n"))
    const raw = await checkRaw({ rawUrl: urls.raw, rpcUrl: this.node.url })
    assert.ok(raw.ok, JSON.stringify(raw))
    const derived = await checkDerived({ rawUrl: urls.raw, appUrl: urls.app })
    assert.ok(derived.ok, JSON.stringify(derived))
  }

  async rows<Row extends Record<string, unknown>>(url: string, sql: string): Promise<Row[]> {
    const probe = new StoreProbe(url)
    try {
      return await probe.rows<Row>(sql)
    } finally {
      await probe.close()
    }
  }

  #env({ raw, app }: Urls): Env {
    return { DB_RAW_URL: raw, DB_APP_URL: app, RPC_URL: this.node.url, MAX_REORG_DEPTH: "100" }
  }
}

/** Of the stretch that begins at 0. */
const endOf = (heights: string): number => Number(/^\{\[0,(\d+)\)\}$/.exec(heights)?.[1] ?? 0)
