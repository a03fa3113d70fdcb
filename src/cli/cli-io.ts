// Everything outside the process that a command uses, so that tests run commands as functions.

import { hostname, userInfo } from "node:os"
import { createInterface } from "node:readline/promises"
import { type Clock, systemClock } from "../platform/clock.js"
import type { IndexerError } from "../platform/errors.js"
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
  /** Asks on the terminal; undefined where there is none. */
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

/** The same for people or for programs. */
export const print = (
  { stdout }: CliIo,
  { json, value, text }: { json: boolean | undefined; value: unknown; text: string },
): void => {
  stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : text)
}

/** Asks before an act that cannot be undone; throws `unasked` where there is no terminal. */
export async function confirm(
  { ask, stderr }: CliIo,
  { about, question, unasked }: { about: string; question: string; unasked: IndexerError },
): Promise<boolean> {
  if (!ask) throw unasked
  stderr.write(about)
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())
}
