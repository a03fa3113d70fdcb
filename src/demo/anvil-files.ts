// The files of the demo's node: its saved state and its log.

import { openSync } from "node:fs"
import { open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** A state of several days takes half a minute and gigabytes of memory to load, so the demo starts over. */
const maxStateBytes = 512 * 2 ** 20

/** The node writes its state in place: when it is killed while writing, the file is incomplete. */
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

/** The node dumps its state file compressed. */
export async function saveState(file: string, dump: string): Promise<void> {
  await writeFile(`${file}.new`, gunzipSync(Buffer.from(dump.slice(2), "hex")))
  await rename(`${file}.new`, file)
}

/** The node prints few lines. Each start creates a new file and keeps the previous one. */
export async function openLog(directory: string): Promise<number> {
  const file = join(directory, "anvil.log")
  await rm(`${file}.previous`, { force: true })
  await rename(file, `${file}.previous`).catch(() => undefined)
  return openSync(file, "a")
}
