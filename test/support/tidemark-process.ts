// The built program as a user runs it: a process of its own, with its log lines at hand.

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { patienceMs } from "./wait-until.js"

interface LogLine {
  readonly level: string
  readonly msg: string
  readonly [key: string]: unknown
}

export interface TidemarkProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly lines: LogLine[]
  /** Everything it wrote to standard error. */
  readonly errors: string[]
  /** The first line that fits, already there or yet to come. */
  line(fits: (line: LogLine) => boolean, timeoutMs?: number): Promise<LogLine>
  /** Resolves with the exit code, or the signal's name. */
  readonly exit: Promise<number | string>
  kill(signal: NodeJS.Signals): void
  /** Sends the signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<number | string>
}

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** What takes the arguments: by default the built program, on this process's Node. */
  readonly command?: readonly [string, ...string[]]
  /** As a shell gives each command, so that a test can interrupt all of it as a terminal does. */
  readonly ownGroup?: boolean
}

/** Most tests serve a chain that does not move. */
const staticChain = { FROZEN_AFTER_BLOCKS: "0" }

export const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")

export function runTidemark(
  args: readonly string[],
  { env = {}, cwd, command = [process.execPath, program], ownGroup = false }: RunOptions = {},
): TidemarkProcess {
  const [file, ...given] = command
  const child = spawn(file, [...given, ...args], {
    cwd,
    detached: ownGroup,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      LOG_FORMAT: "json",
      ...staticChain,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const lines: LogLine[] = []
  const errors: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout! }).on("line", (text) => {
    lines.push(text.startsWith("{") ? (JSON.parse(text) as LogLine) : { level: "text", msg: text })
    for (const look of waiting) look()
  })
  createInterface({ input: child.stderr! }).on("line", (text) => errors.push(text))
  const exit = once(child, "exit").then(([code, signal]: (number | string | null)[]) => code ?? signal ?? "unknown")
  return {
    child,
    pid: child.pid!,
    lines,
    errors,
    exit,
    kill: (signal) => child.kill(signal),
    end: (signal) => {
      child.kill(signal)
      return exit
    },
    line: (fits, timeoutMs = patienceMs) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(fits)
          if (!found) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(found)
        }
        const timer = setTimeout(() => {
          waiting.delete(look)
          const tail = [...lines.slice(-15).map((line) => JSON.stringify(line)), ...errors.slice(-15)].join("\n")
          reject(new Error(`the line did not come within ${timeoutMs} ms; the last ones were\n${tail}`))
        }, timeoutMs)
        waiting.add(look)
        look()
      }),
  }
}
