// The files of the demo's node: its saved state and its log.

import { openSync } from "node:fs"
import { open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** A demo of several days: begun anew rather than loaded for half a minute into gigabytes of memory. */
const maxStateBytes = 512 * 2 ** 20

/** The node writes its state in place, so one killed while writing leaves half a file. */
export async function isUsableState(file: string): Promise<boolean> {
  const handle = await open(file, "r").catch(() => undefined)
  if (handle === undefined) return false
  try {
    const { size } = await handle.stat()
    if (size < 2 || size > maxStateBytes) return false
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] === "}".charCodeAt(0)
  } finally {
    await handle.close()
  }
}

/** What the node dumps on request is its state file, packed. */
export async function saveState(file: string, dump: string): Promise<void> {
  await writeFile(`${file}.new`, gunzipSync(Buffer.from(dump.slice(2), "hex")))
  await rename(`${file}.new`, file)
}

/** A quiet node prints a few lines in its life; each start begins a new file and keeps the one before. */
export async function openLog(directory: string): Promise<number> {
  const file = join(directory, "anvil.log")
  await rm(`${file}.previous`, { force: true })
  await rename(file, `${file}.previous`).catch(() => undefined)
  return openSync(file, "a")
}
