// How much disk the databases take. Postgres stats every file of a database for it, so the answer is cached.

import type { Clock } from "../platform/clock.js"
import { sqlStateOf } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { StoreSize } from "./chain-status.js"

export type ReadStoreSize = () => Promise<StoreSize>

export interface StoreDatabases {
  readonly raw: Queryable
  /** Undefined, or the same object: one database holds both. */
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
    // A failure is not cached.
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
    // Not every user has the privilege; the rest of the status does not depend on it.
    if (sqlStateOf(error) === "42501") return null
    throw error
  }
}
