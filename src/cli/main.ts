// The command line: finds the command, runs it, and maps its outcome to an exit code: 0 only on success, 2 for an
// invalid command line, 1 for everything else.

import { describeError, IndexerError, isIndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import { type CliIo, processIo } from "./cli-io.js"
import { errorsCommand, errorsHelp } from "./errors-command.js"
import { leasesCommand, leasesHelp } from "./leases-command.js"
import { migrateCommand, migrateHelp } from "./migrate-command.js"
import { packageVersion } from "./package-version.js"
import { rollbackCommand, rollbackHelp } from "./rollback-command.js"
import { statusCommand, statusHelp } from "./status-command.js"
import { workersCommand, workersHelp } from "./workers-command.js"

interface Command {
  readonly summary: string
  readonly help: () => Promise<string>
  readonly run: (argv: readonly string[], io: CliIo) => Promise<number>
}

const commands: Readonly<Record<string, Command>> = {
  start: {
    summary: "index a chain: follow its head and fill in its history",
    // Loaded only when asked for: it brings the whole indexer with it.
    help: async () => `${(await import("./start.js")).startHelp}\n`,
    run: async (argv) => (await import("./start.js")).startCommand(argv),
  },
  status: {
    summary: "how far each chain is, and what is wrong",
    help: async () => statusHelp,
    run: statusCommand,
  },
  leases: {
    summary: "list unfinished work; retry or skip a DEAD block",
    help: async () => leasesHelp,
    run: leasesCommand,
  },
  workers: {
    summary: "what derives from what; pause, limit or derive again",
    help: async () => workersHelp,
    run: workersCommand,
  },
  errors: {
    summary: "what went wrong in workers",
    help: async () => errorsHelp,
    run: errorsCommand,
  },
  rollback: {
    summary: "remove all blocks above a height",
    help: async () => rollbackHelp,
    run: rollbackCommand,
  },
  verify: {
    summary: "check what is stored against itself, or against another node",
    help: async () => (await import("./verify-command.js")).verifyHelp,
    run: async (argv, io) => (await import("./verify-command.js")).verifyCommand(argv, io),
  },
  repair: {
    summary: "repair what verify finds",
    help: async () => (await import("./repair-command.js")).repairHelp,
    run: async (argv, io) => (await import("./repair-command.js")).repairCommand(argv, io),
  },
  reset: {
    summary: "delete a chain's store",
    help: async () => (await import("./reset-command.js")).resetHelp,
    run: async (argv, io) => (await import("./reset-command.js")).resetCommand(argv, io),
  },
  migrate: {
    summary: "bring the database schemas up to date",
    help: async () => migrateHelp,
    run: migrateCommand,
  },
}

/** Not in this release: reported as such instead of as unknown. */
const laterCommands = ["init", "wallets", "relay", "bench"]

const width = Math.max(...Object.keys(commands).map((name) => name.length))

const overview =
  (): string => `Tidemark ${packageVersion()}: a blockchain indexer that always knows how far it is right.

Usage: tidemark <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(width)}   ${summary}`)
  .join("\n")}

\`tidemark <command> --help\` says more. Without any setup, \`tidemark start\` runs a demo.
`

/** Resolves with the exit code; never throws. */
export async function main(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    return report(error, io)
  }
}

async function dispatch([name, ...argv]: readonly string[], io: CliIo): Promise<number> {
  if (name === undefined) {
    io.stderr.write(overview())
    return 2
  }
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${packageVersion()}\n`)
    return 0
  }
  if (name === "help" || name === "--help" || name === "-h") {
    const [topic] = argv
    io.stdout.write(topic === undefined ? overview() : await commandNamed(topic).help())
    return 0
  }
  const command = commandNamed(name)
  if (argv.includes("--help") || argv.includes("-h")) {
    io.stdout.write(await command.help())
    return 0
  }
  return command.run(argv, io)
}

function commandNamed(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command) return command
  const known = Object.keys(commands).join(", ")
  throw new IndexerError(
    "USAGE",
    laterCommands.includes(name)
      ? `\`tidemark ${name}\` does not exist yet in this release; there are ${known}`
      : `${JSON.stringify(name)} is not a command; there are ${known}`,
  )
}

function report(error: unknown, { stderr }: CliIo): number {
  if (isIndexerError(error)) {
    stderr.write(`error ${error.code}: ${error.message}\n`)
    return error.code === "USAGE" ? 2 : 1
  }
  // A bug: its stack is what helps to find it.
  const text = error instanceof Error && error.stack ? error.stack : describeError(error)
  stderr.write(`error BUG: ${scrubText(text)}\n`)
  return 1
}
