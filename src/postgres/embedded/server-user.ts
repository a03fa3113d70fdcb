// Chooses the user the server runs as. PostgreSQL refuses to run as root, so root starts it as another user, who must
// be able to reach the binaries and the data.

import { readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"

export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** The user "nobody" on every supported system. */
const nobody: ServerUser = { uid: 65_534, gid: 65_534 }

/** Undefined when the server runs as the user of this process. */
export async function serverUserFor(directory: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(await nearestExisting(directory))
  return uid !== 0 && (await hasName(uid)) ? { uid, gid } : nobody
}

/** initdb rejects a user without a name, such as the host's owner of a directory mounted into a container. */
async function hasName(uid: number): Promise<boolean> {
  if (process.platform !== "linux") return true
  const users = await readFile("/etc/passwd", "utf8").catch(() => "")
  return users.split("\n").some((line) => line.split(":")[2] === String(uid))
}

/** Whether the user can enter every directory above `path`. */
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
