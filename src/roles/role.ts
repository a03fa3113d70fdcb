// The roles of a process. By default it has all of them; --roles distributes them over several processes.

import { IndexerError } from "../platform/errors.js"

export const roles = ["ingest", "work", "maintain", "serve"] as const
export type Role = (typeof roles)[number]

export function parseRoles(text: string | undefined): readonly Role[] {
  if (text === undefined) return roles
  const given = text.split(",").map((role) => role.trim())
  for (const role of given) {
    if ((roles as readonly string[]).includes(role)) continue
    throw new IndexerError("CONFIG_INVALID", `--roles has "${role}", but must be a comma list of ${roles.join(", ")}`)
  }
  return given as Role[]
}
