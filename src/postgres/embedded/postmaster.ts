// Adopts, starts and stops the server process of one data directory. The server has its own session, so that neither
// Ctrl-C in a terminal nor the death of this process ends it.

import { type ChildProcess, spawn } from "node:child_process"
import { open } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "../../platform/clock.js"
import { describeError, IndexerError } from "../../platform/errors.js"
import { freePort } from "../../platform/free-port.js"
import type { ServiceDeps } from "../../platform/service.js"
import { Connection } from "../connection.js"
import { sqlStateOf } from "../postgres-error.js"
import { urlMaker } from "./address-file.js"
import { clearReusedPid, isPostmaster, type PostmasterFile, readPostmasterFile } from "./postmaster-file.js"
import { boundLog, lastLines } from "./server-log.js"
import type { ServerUser } from "./server-user.js"

export interface PostmasterOptions extends ServiceDeps {
  readonly native: string
  /** The data directory, without symbolic links. */
  readonly path: string
  readonly password: string
  readonly user: ServerUser | undefined
  readonly logFile: string
  readonly settings: Readonly<Record<string, string>>
  readonly onClose: () => void
  /** Ends the wait at shutdown. */
  readonly signal: AbortSignal
}

export interface RunningServer {
  readonly port: number
  readonly adopted: boolean
  readonly connection: Connection
}

const pollMs = 20
/** A server that is silent for this long is considered hung. A recovering server answers, so it is not. */
const silenceMs = 15_000
/** A new server refuses to start until the orphaned backends of a killed one have ended. */
const attemptsAfterCrash = 40
const attempts = 3

/** A connection to the server of this directory, which is started if necessary. */
export async function reachServer(
  options: PostmasterOptions,
  { preferredPort, mayMove }: { readonly preferredPort: number; readonly mayMove: boolean },
): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    const found = await readPostmasterFile(options.path)
    if (options.signal.aborted || attempt > (found ? attemptsAfterCrash : attempts)) throw await failed(options)
    const running = found !== undefined && (await isPostmaster(found.pid, options.path))
    if (running) {
      const connection = await waitUntilReady(options, async () => {
        const now = await readPostmasterFile(options.path)
        return now?.pid === found.pid && (await isPostmaster(now.pid, options.path)) ? now : undefined
      })
      if (connection) return { ...connection, adopted: true }
      if (!options.signal.aborted) await endHungServer(options, found.pid)
      continue
    }
    await clearReusedPid(options.path)
    // Another process may use the previous port now. A server that clients already know must keep its port.
    const port = mayMove ? await freePort(attempt <= 2 ? preferredPort : 0) : preferredPort
    const started = await start(options, port)
    if (started) return { ...started, adopted: false }
    await options.clock.sleep(Math.min(250, 10 * attempt))
  }
}

async function start(options: PostmasterOptions, port: number): Promise<ReadyConnection | undefined> {
  await boundLog(options.logFile)
  const log = await open(options.logFile, "a", 0o600)
  let child: ChildProcess
  try {
    const settings = {
      ...options.settings,
      port: String(port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    child = spawn(join(options.native, "bin", "postgres"), ["-D", options.path, ...args], {
      cwd: "/",
      env: { LC_ALL: "C", TZ: "UTC" },
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...options.user,
    })
  } finally {
    await log.close()
  }
  let exited = false
  const noteExit = (): void => {
    exited = true
  }
  child.once("error", noteExit)
  child.once("exit", noteExit)
  // The server may outlive this process, and does not keep it running.
  child.unref()
  return waitUntilReady(options, async () => {
    if (exited) return undefined
    const file = await readPostmasterFile(options.path)
    return { pid: child.pid ?? 0, port: file?.pid === child.pid ? port : 0 }
  })
}

interface ReadyConnection {
  readonly port: number
  readonly connection: Connection
}

/** Undefined when the process has ended or is silent for too long. */
async function waitUntilReady(
  { path, password, clock, logger, onClose, signal }: PostmasterOptions,
  find: () => Promise<PostmasterFile | undefined>,
): Promise<ReadyConnection | undefined> {
  let heardAt = clock.monotonic()
  let loggedAt = heardAt
  while (!signal.aborted && clock.monotonic() - heardAt < silenceMs) {
    const server = await find()
    if (server === undefined) return undefined
    if (server.port > 0) {
      try {
        const url = urlMaker({ port: server.port, password })("postgres")
        const connection = await Connection.open({ url, applicationName: "tidemark-embedded", onClose })
        return { port: server.port, connection }
      } catch (error) {
        const state = sqlStateOf(error)
        // It answers without a session: it is recovering or shutting down.
        if (state !== undefined) heardAt = clock.monotonic()
        if (state !== undefined && state !== "57P03") throw error
        if (clock.monotonic() - loggedAt > 5_000) {
          loggedAt = clock.monotonic()
          logger.info({ path, reason: describeError(error) }, "waiting for the embedded Postgres")
        }
      }
    }
    await clock.sleep(pollMs)
  }
  return undefined
}

async function endHungServer({ path, clock, logger }: PostmasterOptions, pid: number): Promise<void> {
  if (!(await isPostmaster(pid, path))) return
  logger.warn({ pid, path }, "the embedded Postgres does not answer; killing it, it recovers at the next start")
  process.kill(pid, "SIGQUIT")
  if (await gone(pid, path, clock, 5_000)) return
  process.kill(pid, "SIGKILL")
  await gone(pid, path, clock, 5_000)
}

/** Stops the server, by force when it takes too long. Returns when its process has ended. */
export async function stopServer(
  options: Pick<PostmasterOptions, "path" | "clock" | "logger">,
  how: "fast" | "immediate",
): Promise<void> {
  const { path, clock, logger } = options
  const file = await readPostmasterFile(path)
  if (!file || !(await isPostmaster(file.pid, path))) return
  const steps = how === "fast" ? stopSteps : stopSteps.slice(1)
  for (const { signal, waitMs } of steps) {
    if (signal === "SIGKILL" || (signal === "SIGQUIT" && how === "fast"))
      logger.warn({ pid: file.pid, signal }, "the embedded Postgres is slow to stop")
    process.kill(file.pid, signal)
    if (await gone(file.pid, path, clock, waitMs)) return
  }
  throw new IndexerError("EMBEDDED_FAILED", `The embedded Postgres (process ${file.pid}) cannot be stopped.`)
}

/** Fast, immediate, by force. After the last two, the next start recovers. */
const stopSteps = [
  { signal: "SIGINT", waitMs: 60_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const

async function gone(pid: number, path: string, clock: Clock, waitMs: number): Promise<boolean> {
  const until = clock.monotonic() + waitMs
  while (await isPostmaster(pid, path)) {
    if (clock.monotonic() >= until) return false
    await clock.sleep(pollMs)
  }
  return true
}

async function failed({ path, logFile }: PostmasterOptions): Promise<IndexerError> {
  const log = await lastLines(logFile)
  return new IndexerError(
    "EMBEDDED_FAILED",
    `The embedded Postgres in ${path} does not start. Its log (${logFile}) ends with:\n${log}`,
    { data: { logFile } },
  )
}
