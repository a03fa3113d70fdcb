// The server's log file: appended by the server itself, kept below a bound, and quoted when the server fails.

import { open, stat, truncate } from "node:fs/promises"

const maximumBytes = 16 * 1024 ** 2

/** The server appends, so cutting the file to nothing is safe at any time: it goes on at the start. */
export async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > maximumBytes) await truncate(path, 0)
}

/** The last lines, for an error's message. */
export async function lastLines(path: string, count = 8): Promise<string> {
  const file = await open(path, "r").catch(() => undefined)
  if (!file) return ""
  try {
    const { size } = await file.stat()
    const length = Math.min(size, 8_192)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString("utf8").trim().split("\n").slice(-count).join("\n")
  } finally {
    await file.close()
  }
}
