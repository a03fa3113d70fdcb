// A thread's log lines, sent to the process that writes them.

import type { Logger } from "../platform/logger.js"
import type { ThreadLog } from "./thread-messages.js"

export function createThreadLogger(post: (line: ThreadLog) => void, bound: Record<string, unknown>): Logger {
  const at =
    (level: ThreadLog["level"]) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void =>
      post({ type: "log", level, fields: { ...bound, ...fields }, message })
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    child: (fields) => createThreadLogger(post, { ...bound, ...fields }),
  }
}
