// How much disk the databases take. Asking looks at every file of a database, so the answer is kept for a while.

import type { Clock } from "../platform/clock.js"
import { sqlStateOf } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { StoreSize } from "./chain-status.js"

export type ReadStoreSize = () => Promise<StoreSize>

export interface StoreDatabases {
  readonly raw: Queryable
  /** Undefined, or the very same object: one database holds both. */
  readonly app?: Queryable | undefined
}

export function storeSizeReader(
  { raw, app }: StoreDatabases,
  { clock, maxAgeMs = 30_000 }: { clock: Clock; maxAgeMs?: number },
): ReadStoreSize {
  let held: { at: number; size: Promise<StoreSize> } | undefined
  return () => {
    if (held && clock.monotonic() - held.at < maxAgeMs) return held.size
    const size = readStoreSize({ raw, app })
    const mine = { at: clock.monotonic(), size }
    held = mine
    // A failure is not an answer worth keeping.
    size.catch(() => {
      if (held === mine) held = undefined
    })
    return size
  }
}

export async function readStoreSize({ raw, app }: StoreDatabases): Promise<StoreSize> {
  const rawBytes = await databaseSize(raw)
  return { rawBytes, appBytes: app === undefined || app === raw ? null : await databaseSize(app) }
}

async function databaseSize(sql: Queryable): Promise<number | null> {
  try {
    const { rows } = await sql.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes")
    return Number(rows[0]!.bytes)
  } catch (error) {
    // Not every user may ask; the rest of the status does not depend on it.
    if (sqlStateOf(error) === "42501") return null
    throw error
  }
}
