// How fast the store grows and when it is full, with what that is computed from, in words. Pure.

import type { RowOf } from "../../data/api-query"
import type { ChainStatus } from "../../data/status-query"
import { formatBytes } from "../../parts/format-bytes"
import { formatDuration } from "../../parts/format-time"

export type StoreTable = RowOf<"/ops/store">

export const nameOf = ({ store, table }: Pick<StoreTable, "store" | "table">): string => `${store}.${table}`

export interface Growth {
  readonly bytesPerBlock: number
  /** Null while the pace of the chain is unknown. */
  readonly bytesPerDay: number | null
}

export function growthOf(tables: readonly StoreTable[]): Growth {
  const sum = (field: "bytes_per_block" | "bytes_per_day"): number =>
    tables.reduce((total, table) => total + (table[field] ?? 0), 0)
  const isPaced = tables.some(({ bytes_per_day }) => bytes_per_day !== null)
  return { bytesPerBlock: sum("bytes_per_block"), bytesPerDay: isPaced ? sum("bytes_per_day") : null }
}

const dayMs = 86_400_000
export const formatDays = (days: number): string => formatDuration(days * dayMs)

/** Nearly full is what leaves no time to order a disk; soon, what leaves no time to forget it. */
export type Room = "unknown" | "enough" | "soon" | "nearly full"
export function roomOf({ free_bytes, days_to_full }: ChainStatus["store"]): Room {
  if (free_bytes === null) return "unknown"
  if (free_bytes < 1_000_000_000 || (days_to_full !== null && days_to_full < 3)) return "nearly full"
  if (days_to_full === null) return "unknown"
  return days_to_full < 30 ? "soon" : "enough"
}

/** What the days until it is full rest on. */
export function basisWords(status: ChainStatus, { bytesPerBlock }: Growth): string {
  const { free_bytes, days_to_full, seconds_per_block } = status.store
  if (free_bytes === null) {
    return (
      "How much room is left is unknown. On your own server, set DB_CAPACITY_BYTES to what it has for both databases; " +
      "the room of an embedded server is the disk's."
    )
  }
  const room = `The room is what is left of the embedded server's disk, or of DB_CAPACITY_BYTES.`
  if (seconds_per_block === null || days_to_full === null)
    return `${room} How fast it is taken is unknown until blocks come: there are too few yet.`
  const pace = `a block of ${formatBytes(bytesPerBlock)} every ${paceWords(seconds_per_block)}`
  const eta = status.history_eta_ms
  const history =
    eta !== null && eta > 0
      ? `History is filled first, which takes about ${formatDuration(eta)} at the present rate; from then on it grows with the chain, by ${pace}.`
      : `It grows with the chain, by ${pace}, the average of the blocks so far.`
  return `${history} ${room}`
}

const paceWords = (seconds: number): string =>
  seconds < 60 ? `${seconds.toLocaleString("en-US", { maximumFractionDigits: 2 })} s` : formatDuration(seconds * 1_000)
