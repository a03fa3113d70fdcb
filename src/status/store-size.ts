// How much disk the databases take, how much is left, and how fast the chain grows. Postgres stats every file of a
// database for its size, so the answer is cached.

import { statfs } from "node:fs/promises"
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

/** What bounds the store; neither: unknown. */
export interface StoreRoom {
  /** Of the embedded server, on this machine. */
  readonly directory?: string | undefined
  /** For both databases together, as an operator set it. */
  readonly capacityBytes?: number | undefined
}

export function storeSizeReader(
  databases: StoreDatabases,
  { clock, maxAgeMs = 30_000, ...room }: { clock: Clock; maxAgeMs?: number } & StoreRoom,
): ReadStoreSize {
  let held: { at: number; size: Promise<StoreSize> } | undefined
  return () => {
    if (held && clock.monotonic() - held.at < maxAgeMs) return held.size
    const size = readStoreSize(databases, room)
    const mine = { at: clock.monotonic(), size }
    held = mine
    // A failure is not cached.
    size.catch(() => {
      if (held === mine) held = undefined
    })
    return size
  }
}

export async function readStoreSize({ raw, app }: StoreDatabases, room: StoreRoom = {}): Promise<StoreSize> {
  const rawBytes = await databaseSize(raw)
  const appBytes = app === undefined || app === raw ? null : await databaseSize(app)
  return {
    rawBytes,
    appBytes,
    freeBytes: await freeBytes(room, rawBytes === null ? null : rawBytes + (appBytes ?? 0)),
    secondsPerBlock: await readPace(raw),
  }
}

async function freeBytes({ directory, capacityBytes }: StoreRoom, taken: number | null): Promise<number | null> {
  if (capacityBytes !== undefined) return taken === null ? null : Math.max(0, capacityBytes - taken)
  if (directory === undefined) return null
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** Seconds between blocks, over the newest, which are neighbours or nearly so. */
export async function readPace(raw: Queryable): Promise<number | null> {
  const { rows } = await raw.query<{ pace: number | null }>(
    `select (extract(epoch from max(timestamp) - min(timestamp)) / nullif(max(height) - min(height), 0))::float8 as pace
     from (select height, timestamp from raw.blocks order by height desc limit 200) as newest`,
  )
  return rows[0]!.pace
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
