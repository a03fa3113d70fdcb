// Which user the server runs as. PostgreSQL refuses root, so root starts it as another user, who then has to be able
// to reach both the binaries and the data.

import { readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"

export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** "nobody" everywhere this runs. */
const nobody: ServerUser = { uid: 65_534, gid: 65_534 }

/** Undefined when the server runs as whoever runs this process. */
export async function serverUserFor(directory: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(await nearestExisting(directory))
  return uid !== 0 && (await hasName(uid)) ? { uid, gid } : nobody
}

/** initdb refuses a user the system has no name for, such as the host's owner of a directory mounted into a container. */
async function hasName(uid: number): Promise<boolean> {
  if (process.platform !== "linux") return true
  const users = await readFile("/etc/passwd", "utf8").catch(() => "")
  return users.split("\n").some((line) => line.split(":")[2] === String(uid))
}

/** Whether every directory above `path` lets the user through. */
export async function canReach(path: string, user: ServerUser | undefined): Promise<boolean> {
  if (user === undefined) return true
  for (let at = dirname(path); ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

async function nearestExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    try {
      await stat(at)
      return at
    } catch (error) {
      if (at === dirname(at)) throw error
    }
  }
}
