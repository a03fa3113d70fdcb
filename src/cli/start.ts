// `tidemark start`: reads the config, starts the process, shows its progress, and stops it on a signal.

import { systemClock } from "../platform/clock.js"
import { createLogger } from "../platform/create-logger.js"
import { IndexerError, isIndexerError } from "../platform/errors.js"
import { type Config, loadConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { kebab } from "../platform/setting.js"
import { chainSettings, processSettings } from "../platform/settings.js"
import { Terminal, wantsColour } from "../platform/terminal.js"
import { families, familyOf } from "../roles/family-of.js"
import { parseRoles } from "../roles/role.js"
import { startTidemark, type Tidemark } from "../roles/start-tidemark.js"
import { joinInstructions } from "./join-instructions.js"
import { packageVersion } from "./package-version.js"
import { parseFlags } from "./parse-flags.js"
import { ProgressReporter } from "./progress-reporter.js"

export const startHelp = `Usage: tidemark start [options]

Follows the head of a chain, fills in its history and derives tables from it. Without --rpc it starts a local demo
chain; without DB_RAW_URL an embedded Postgres under .tidemark/.

  --rpc URL[,URL…]      nodes to read from; ws:// entries announce heads        (RPC_URL)
  --start-block N       first block of the chain to index                       (START_BLOCK)
  --end-block N         claim nothing above this block                          (END_BLOCK)
  --exit-when-done      end well once everything up to --end-block is stored and derived
  --roles LIST          of ingest, work, maintain, serve; all by default
  --threads N           threads that fetch and store history, 1 to 3            (THREADS)
  --workers LIST        which workers derive tables: all, none, or their names  (WORKERS)
  --backfill ORDER      oldest or newest blocks of history first                (BACKFILL)
  --verify LEVEL        standard, or roots: recompute hashes and roots too      (VERIFY)
  --config FILE         another file than tidemark.config.ts
  --host A, --port N    where to serve; 127.0.0.1:8080                          (HOST, PORT)
  --log-level L         debug, info, warn, error or fatal                       (LOG_LEVEL)
  --log-format F        pretty or json                                          (LOG_FORMAT)

Every other setting of docs/reference/config.md can be given as a flag too, such as --range-size 500.`

const repeatedSignalMs = 1_000

const settingNames = [processSettings, chainSettings, ...families.map(({ settings }) => settings)].flatMap(Object.keys)

function readFlags(argv: readonly string[]) {
  const flagTypes: Record<string, "string" | "boolean"> = {
    rpc: "string",
    roles: "string",
    config: "string",
    "exit-when-done": "boolean",
  }
  for (const name of settingNames) flagTypes[kebab(name)] = "string"
  const values = parseFlags(argv, { command: "start", flags: flagTypes })
  const text = (name: string): string | undefined => values[name] as string | undefined
  return {
    settings: Object.fromEntries([...settingNames, "rpc"].map((name) => [name, text(kebab(name))])),
    roles: text("roles"),
    config: text("config"),
    exitWhenDone: values["exit-when-done"] === true,
  }
}

/** Resolves with the exit code. */
export async function startCommand(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv)
  const env = process.env
  const config = await loadConfig({
    cwd: process.cwd(),
    env,
    flags: flags.settings,
    configFile: flags.config,
    familyOf,
  })
  const roles = parseRoles(flags.roles ?? env["ROLES"])
  if (flags.exitWhenDone && config.chains.some(({ endBlock }) => endBlock === undefined)) {
    throw new IndexerError("USAGE", "--exit-when-done needs --end-block: a chain has no end of its own")
  }
  const terminal = new Terminal(process.stdout)
  const logger = makeLogger(config, terminal)
  const stopping = new AbortController()
  // Resolves when the process should end, with its exit code.
  const ended = new Promise<number>((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals): void => {
      const now = systemClock.monotonic()
      if (firstAt !== undefined) {
        // A wrapper that forwards signals sends each twice; a person who repeats it a moment later means it. Leases
        // then expire and pass to other processes, and the next start finds the embedded server and the demo chain.
        if (now - firstAt > repeatedSignalMs) process.exit(1)
        return
      }
      firstAt = now
      logger.info({ signal }, "stopping: ranges in progress may finish")
      stopping.abort()
      resolve(0)
    }
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal)
    stopping.signal.addEventListener("abort", () => resolve(0), { once: true })
  })
  let tidemark: Tidemark
  try {
    tidemark = await startTidemark(
      { clock: systemClock, random: systemRandom, logger },
      {
        config,
        roles,
        version: packageVersion(),
        exitWhenDone: flags.exitWhenDone,
        signal: stopping.signal,
        onStage: stageReporter(terminal, logger),
        onDone: () => {
          logger.info({}, "everything up to the end block is stored")
          stopping.abort()
        },
      },
    )
  } catch (error) {
    terminal.status("")
    if (stopping.signal.aborted) return 0
    if (isIndexerError(error, "EMBEDDED_IN_USE")) {
      throw new IndexerError(error.code, await joinInstructions(error, config), { cause: error.cause })
    }
    throw error
  }
  const { chains, httpUrl: url, started } = tidemark
  const progress = new ProgressReporter({ chains, terminal, logger, clock: systemClock })
  progress.start()
  try {
    const running = started.then(() => {
      logger.info({ url, chains: chains().map(({ name }) => name) }, "running; see it with `tidemark status`")
      return ended
    })
    return await Promise.race([running, ended])
  } catch (error) {
    if (stopping.signal.aborted) return 0
    throw error
  } finally {
    await progress.stop()
    terminal.status("")
    await tidemark.stop()
    logger.info({}, "stopped")
  }
}

const stageEveryMs = 2_000

/** The live line on a terminal; elsewhere an occasional log line, so that long work shows without filling the log. */
function stageReporter(terminal: Terminal, logger: Logger): (text: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let loggedKind = ""
  return (text) => {
    if (terminal.isTty) return terminal.status(text)
    const kind = text.replace(/\d+/g, "")
    const now = systemClock.monotonic()
    if (kind === loggedKind && now - loggedAt < stageEveryMs) return
    loggedAt = now
    loggedKind = kind
    logger.info({}, text)
  }
}

function makeLogger(config: Config, terminal: Terminal): Logger {
  const { logFormat, logLevel } = config.process
  const format = logFormat === "auto" ? (terminal.isTty ? "pretty" : "json") : logFormat
  const colour = wantsColour(process.stdout, process.env)
  return createLogger({ level: logLevel, format, colour, write: (line) => terminal.line(line) })
}
