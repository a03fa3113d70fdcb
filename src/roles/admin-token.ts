// The demo's admin token: made once, kept in its directory, readable by its user only.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Random } from "../platform/random.js"

export interface DemoToken {
  readonly token: string
  readonly file: string
}

export function demoAdminToken({ random }: { readonly random: Random }, directory: string): DemoToken {
  const file = join(directory, "admin-token")
  mkdirSync(directory, { recursive: true })
  try {
    // Never overwrites: two processes may start at once.
    writeFileSync(file, `${random.uuid()}${random.uuid()}`.replaceAll("-", ""), { mode: 0o600, flag: "wx" })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  return { token: readFileSync(file, "utf8").trim(), file }
}
