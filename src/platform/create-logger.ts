// The implementation of `Logger`: JSON lines by pino for machines, short lines for people. Secrets are removed here
// from every field and message, so that callers need not.

import { pino } from "pino"
import type { LogFields, Logger } from "./logger.js"
import { printable } from "./printable.js"
import { scrubFields, scrubText } from "./scrub.js"

const logLevels = ["debug", "info", "warn", "error", "fatal"] as const
type LogLevel = (typeof logLevels)[number]

export interface CreateLoggerOptions {
  readonly level: LogLevel
  readonly format: "json" | "pretty"
  /** Receives whole lines, with their line feed. */
  readonly write: (line: string) => void
  /** For pretty lines. */
  readonly colour?: boolean
  readonly now?: () => Date
}

type Emit = (level: LogLevel, fields: Record<string, unknown>, message: string) => void

export function createLogger(options: CreateLoggerOptions): Logger {
  const emit = options.format === "json" ? jsonEmitter(options) : prettyEmitter(options)
  return loggerOf(emit, logLevels.indexOf(options.level), {})
}

function loggerOf(emit: Emit, least: number, bound: LogFields): Logger {
  const at = (level: LogLevel) => {
    if (logLevels.indexOf(level) < least) return () => undefined
    return (fields: LogFields, message: string) =>
      emit(level, scrubFields({ ...bound, ...fields }), scrubText(message))
  }
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    child: (fields) => loggerOf(emit, least, { ...bound, ...fields }),
  }
}

function jsonEmitter({ write, now = () => new Date() }: CreateLoggerOptions): Emit {
  const lines = pino(
    {
      level: "debug",
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return (level, fields, message) => lines[level](withoutReserved(fields), message)
}

/** Parsers disagree on which of two equal keys counts. */
function withoutReserved(fields: Record<string, unknown>): Record<string, unknown> {
  for (const key of ["level", "time", "msg"]) {
    if (!(key in fields)) continue
    fields[`${key}_`] = fields[key]
    delete fields[key]
  }
  return fields
}

const levelColours: Record<LogLevel, number> = { debug: 90, info: 36, warn: 33, error: 31, fatal: 35 }
const sourceWidth = 14

/** `21:04:11 info  history-lane    message  key=value` */
function prettyEmitter({ write, colour = false, now = () => new Date() }: CreateLoggerOptions): Emit {
  const paint = (code: number, text: string) => (colour && text ? `\u001b[${code}m${text}\u001b[39m` : text)
  return (level, { service, chain, ...fields }, message) => {
    const time = now().toTimeString().slice(0, 8)
    const source = printable(String(service ?? chain ?? "")).padEnd(sourceWidth)
    const rest = Object.entries(fields)
      .map(([key, value]) => `${paint(90, `${printable(key)}=`)}${prettyValue(value)}`)
      .join(" ")
    const head = `${paint(90, time)} ${paint(levelColours[level], level.padEnd(5))} ${paint(90, source)}`
    write(`${head} ${printable(message)}${rest ? `  ${rest}` : ""}\n`)
  }
}

function prettyValue(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    const text = printable(String(value))
    return /\s/.test(text) ? JSON.stringify(text) : text
  }
  // The stack of an error is only in the JSON log.
  const { message, code } = value as { message?: unknown; code?: unknown }
  if (typeof message === "string") return JSON.stringify(printable(code ? `${code}: ${message}` : message))
  return printable(JSON.stringify(value))
}
