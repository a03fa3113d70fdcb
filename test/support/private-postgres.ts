// Real servers for tests, each in a temporary directory of its own: the embedded version, or the oldest supported one.

import { execFile } from "node:child_process"
import { chmod, mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { isAlive, readPostmasterFile } from "../../src/postgres/embedded/postmaster-file.js"
import { type EmbeddedPostgres, startEmbedded } from "../../src/postgres/embedded/start-embedded.js"
import { testBinary } from "./test-binary.js"

const run = promisify(execFile)

/** Nothing here has to outlive a power cut, and hundreds of connections come from many tests at once. */
const testSettings = { fsync: "off", max_connections: "300", full_page_writes: "off", max_wal_size: "512MB" }

/** Where the global set-up keeps a cluster that nobody has used; in the environment, so that every worker finds it. */
const blankCluster = "TIDEMARK_TEST_CLUSTER"
const roomBytes = 4 * 1024 ** 3

export interface PrivatePostgresOptions {
  /** Beside those of every test; they win. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where its directory is made: by default beside the blank cluster, else the system's place for temporary files. */
  readonly parent?: string
  readonly native?: string
}

export class PrivatePostgres {
  readonly directory: string
  readonly #options: PrivatePostgresOptions
  #server: EmbeddedPostgres | undefined

  constructor(directory: string, options: PrivatePostgresOptions = {}) {
    this.directory = directory
    this.#options = options
  }

  get port(): number {
    return this.#running.port
  }

  url(database: string): string {
    return this.#running.url(database)
  }

  ensureDatabase(name: string): Promise<void> {
    return this.#running.ensureDatabase(name)
  }

  /** Starts, or starts again: on the same port, with the same data. */
  async start(): Promise<void> {
    this.#server = await startEmbedded({
      dataDir: this.directory,
      logger: silentLogger,
      clock: systemClock,
      random: systemRandom,
      settings: { ...testSettings, ...this.#options.settings },
      systemDir: join(tmpdir(), "tidemark-test-system"),
      ...(this.#options.native ? { native: this.#options.native } : {}),
    })
  }

  /** Shuts down; "immediate" leaves recovery to the next start, as a crash does. */
  async stop(how: "fast" | "immediate" = "fast"): Promise<void> {
    const server = this.#server
    this.#server = undefined
    await server?.stop(how)
  }

  /** The server's own process, for tests that pause or end it. */
  async postmasterPid(): Promise<number> {
    const file = await readPostmasterFile(join(this.directory, "postgres"))
    if (!file) throw new Error("the server is not running")
    return file.pid
  }

  async remove(): Promise<void> {
    await this.stop("immediate")
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 })
  }

  get #running(): EmbeddedPostgres {
    if (!this.#server) throw new Error("the server is stopped")
    return this.#server
  }
}

/** A server of the embedded version that this test alone uses. */
export async function startPrivatePostgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
  const blank = process.env[blankCluster]
  const parent = options.parent ?? (blank === undefined ? tmpdir() : join(blank, "..", ".."))
  const directory = await mkdtemp(join(parent, "tidemark-test-pg-"))
  // Root's server runs as another user, who has to get in.
  await chmod(directory, 0o755)
  const server = new PrivatePostgres(directory, options)
  try {
    if (!options.native) await copyBlankCluster(directory)
    await server.start()
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

/**
 * From now on servers of the embedded version begin as copies of one cluster, and all are kept in memory where there is room;
 * until what is returned is called. On a disk a fifth of a test's processor time goes into making files.
 */
export async function shareBlankCluster(): Promise<() => Promise<void>> {
  const parent = await placeForMany()
  const blank = await startPrivatePostgres({ parent })
  await blank.stop("fast")
  process.env[blankCluster] = join(blank.directory, "postgres")
  return async () => {
    delete process.env[blankCluster]
    await rm(parent, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A cluster for whoever starts a server in this directory, who else makes one; a copy costs a fifth of that. */
export async function copyBlankCluster(directory: string): Promise<void> {
  const blank = process.env[blankCluster]
  // With owners and modes, which the server insists on.
  if (blank !== undefined) await run("cp", ["-a", blank, join(directory, "postgres")])
}

/** The oldest version supported. */
export const startPostgres15 = (): Promise<PrivatePostgres> =>
  startPrivatePostgres({ native: join(testBinary("postgres-15"), "native") })

/** A directory for all servers of this run. What a killed run left behind an hour ago or longer is removed: it may lie in memory. */
async function placeForMany(): Promise<string> {
  const memory = "/dev/shm"
  const found = await statfs(memory).catch(() => undefined)
  const place = found !== undefined && found.bavail * found.bsize > roomBytes ? memory : tmpdir()
  for (const name of await readdir(place)) {
    const pid = /^tidemark-test-run-(\d+)-/.exec(name)?.[1]
    const { mtimeMs = Date.now() } = (pid && (await stat(join(place, name)).catch(() => undefined))) || {}
    if (Date.now() - mtimeMs > 3_600_000 && !isAlive(Number(pid)))
      await rm(join(place, name), { recursive: true, force: true })
  }
  const directory = await mkdtemp(join(place, `tidemark-test-run-${process.pid}-`))
  await chmod(directory, 0o755)
  return directory
}
