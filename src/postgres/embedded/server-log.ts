// The server's log file: written by the server, bounded here, and quoted when the server fails.

import { open, stat, truncate } from "node:fs/promises"

const maximumBytes = 16 * 1024 ** 2

/** The server appends, so truncating the file is safe at any time. */
export async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > maximumBytes) await truncate(path, 0)
}

/** The last lines, for an error message. */
export async function lastLines(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined)
  if (!file) return ""
  try {
    const { size } = await file.stat()
    const length = Math.min(size, 8_192)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString("utf8").trim().split("\n").slice(-8).join("\n")
  } finally {
    await file.close()
  }
}
