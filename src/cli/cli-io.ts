// Everything a command touches of the outside, so that tests run commands as functions.

import { hostname, userInfo } from "node:os"
import { createInterface } from "node:readline/promises"
import { type Clock, systemClock } from "../platform/clock.js"
import { type Random, systemRandom } from "../platform/random.js"
import { type TerminalStream, wantsColour } from "../platform/terminal.js"

export interface CliIo {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  readonly clock: Clock
  readonly random: Random
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Who is at the keyboard, for the audit log. */
  readonly actor: string
  /** Asks on the terminal; undefined where there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

export function processIo(): CliIo {
  const interrupted = new AbortController()
  return {
    cwd: process.cwd(),
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    random: systemRandom,
    // Installed only when asked for: `start` has handlers of its own.
    get signal() {
      process.once("SIGINT", () => interrupted.abort())
      return interrupted.signal
    },
    actor: `${userName()}@${hostname()}`,
    ask: process.stdin.isTTY ? askOnTerminal : undefined,
  }
}

async function askOnTerminal(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user may have a number only.
    return String(process.getuid?.() ?? "unknown")
  }
}

export const lookOf = ({ stdout, env }: CliIo): { columns: number; colour: boolean } => ({
  columns: stdout.columns ?? 80,
  colour: wantsColour(stdout, env),
})

export const printJson = ({ stdout }: CliIo, value: unknown): void => {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}
