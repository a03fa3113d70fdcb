// The command line of a process, to distinguish our own node from another process that reuses its id.

import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

/** Undefined when there is no such process. A zombie has no command line either. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
    return text === "" ? undefined : text.replaceAll("\0", " ").trim()
  }
  const listed = await promisify(execFile)("ps", ["-p", String(pid), "-o", "args="]).catch(() => undefined)
  return listed?.stdout.trim() || undefined
}
