// The PostgreSQL that is installed on this machine, with its own programs: what an operator runs pg_dump against. Each
// server has a directory and a port of its own, on loopback, and ends with the procedure.

import { execFile, execFileSync } from "node:child_process"
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "../../src/platform/free-port.js"

const run = promisify(execFile)

/** The server refuses to run as root; who prepares a machine for it has this user. */
const serverUser = "postgres"
const isRoot = process.getuid?.() === 0

const idOf = (flag: "-u" | "-g"): number => Number(execFileSync("id", [flag, serverUser]).toString())

/** A command as the user whom the server's files belong to. */
export const asServerUser = (command: readonly string[]): string[] =>
  isRoot ? ["setpriv", `--reuid=${idOf("-u")}`, `--regid=${idOf("-g")}`, "--clear-groups", ...command] : [...command]

const bindir = (): string => execFileSync("pg_config", ["--bindir"]).toString().trim()

export class SystemPostgres {
  readonly port: number
  readonly #place: string
  readonly #password: string

  /** A new server with nothing in it. */
  static async start(): Promise<SystemPostgres> {
    const server = new SystemPostgres(await placeOfServer(), await freePort(), "of-the-server")
    const secret = join(server.#place, "password")
    await writeFile(secret, server.#password, { mode: 0o644 })
    await server.#as(join(bindir(), "initdb"), [
      ...["--pgdata", server.directory, "--username=tidemark", "--auth=scram-sha-256", `--pwfile=${secret}`],
      ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    ])
    await server.#open()
    return server
  }

  /** A server on files that a backup left in this directory. */
  static async onFiles(place: string, password = "of-the-server"): Promise<SystemPostgres> {
    const server = new SystemPostgres(place, await freePort(), password)
    await server.#open()
    return server
  }

  private constructor(place: string, port: number, password: string) {
    this.#place = place
    this.port = port
    this.#password = password
  }

  get directory(): string {
    return join(this.#place, "data")
  }

  url(database: string): string {
    return `postgres://tidemark:${this.#password}@127.0.0.1:${this.port}/${database}`
  }

  /** A new, empty database. */
  async create(database: string): Promise<string> {
    await run("psql", [this.url("postgres"), "--command", `create database ${database}`])
    return this.url(database)
  }

  async remove(): Promise<void> {
    await this.#as(join(bindir(), "pg_ctl"), ["--pgdata", this.directory, "--mode=immediate", "stop"]).catch(
      () => undefined,
    )
    await rm(this.#place, { recursive: true, force: true, maxRetries: 5 })
  }

  async #open(): Promise<void> {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
    const log = join(this.#place, "server.log")
    await this.#as(join(bindir(), "pg_ctl"), [
      "--pgdata",
      this.directory,
      "-o",
      options,
      "--log",
      log,
      "--wait",
      "start",
    ])
  }

  async #as(program: string, args: readonly string[]): Promise<void> {
    const [file, ...all] = asServerUser([program, ...args])
    // Its output would keep a pipe open for as long as the server runs.
    await run("sh", ["-c", `"$@" >/dev/null 2>"${join(this.#place, "error.log")}"`, "sh", file!, ...all])
  }
}

/** A directory that the server's user owns. */
export async function placeOfServer(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "tidemark-procedure-pg-"))
  await chmod(place, 0o755)
  if (isRoot) await chown(place, idOf("-u"), idOf("-g"))
  return place
}
