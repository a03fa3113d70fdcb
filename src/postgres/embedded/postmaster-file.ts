// Reads postmaster.pid and checks whether it is still true. The file is also the server's lock and is never removed
// here: the next server finds in it the shared memory that orphaned backends may still use.

import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** No process can have this id. */
const unusedPid = 2 ** 31 - 1

export interface PostmasterFile {
  readonly pid: number
  readonly port: number
}

export async function readPostmasterFile(path: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(path, "postmaster.pid"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  const lines = text.split("\n")
  const pid = Number(lines[0])
  const port = Number(lines[3])
  // A starting server writes the file line by line.
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, port: Number.isSafeInteger(port) ? port : 0 } : undefined
}

/** Whether the process is the server of this data directory, and not another process that reuses its id. */
export async function isPostmaster(pid: number, path: string): Promise<boolean> {
  if (pid === unusedPid || !isAlive(pid)) return false
  if (process.platform === "linux") {
    // Everyone can read it, unlike the process's working directory, which root may not see in a container. It is empty
    // for a zombie, and a backend replaces it with its own title.
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
    const [program = "", ...args] = line.split("\0")
    return basename(program) === "postgres" && args.includes(path)
  }
  const { stdout } = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => ({ stdout: "" }))
  return stdout.includes("postgres") && stdout.includes(path)
}

/**
 * A server refuses to start while the id in the file belongs to any process of its user. If that process is not the
 * server, this replaces the id and keeps the rest of the file.
 */
export async function clearReusedPid(path: string): Promise<void> {
  const found = await readPostmasterFile(path)
  if (!found || !isAlive(found.pid) || (await isPostmaster(found.pid, path))) return
  const text = await readFile(join(path, "postmaster.pid"), "utf8")
  await writeFile(join(path, "postmaster.pid"), text.replace(/^\d+/, String(unusedPid)))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
