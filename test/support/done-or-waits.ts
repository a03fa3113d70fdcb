// Whether an act goes through at once, or waits for an advisory lock that somebody holds. Looked for in one database alone: other tests
// share its server.

import type { Queryable } from "../../src/postgres/transaction.js"
import { waitUntil } from "./wait-until.js"

export function doneOrWaits(database: Queryable, act: Promise<unknown>): Promise<"done" | "waits"> {
  const somebodyWaits = async (): Promise<boolean> => {
    const { rows } = await database.query(
      `select 1 from pg_locks
       where not granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.length > 0
  }
  const waiting = waitUntil(somebodyWaits, { what: "whoever waits for the lock" })
  return Promise.race([act.then(() => "done" as const), waiting.then(() => "waits" as const)])
}
