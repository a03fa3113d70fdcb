// When a store is full: first history is filled at the present rate, then the store grows as the chain does.

import type { StoreSize } from "./chain-status.js"

/** Of a database with empty tables, as measured: not growth. */
const emptyBytes = 9_500_000
const dayMs = 86_400_000

export interface Growth {
  readonly store: StoreSize
  /** Stored. */
  readonly blocks: number
  /** Of history, not stored yet. */
  readonly missing: number
  /** Until history is filled; null: unknown. */
  readonly etaMs: number | null
}

/** Null where the room, the size of a block or the pace is unknown. */
export function daysToFull({ store, blocks, missing, etaMs }: Growth): number | null {
  const { rawBytes, appBytes, freeBytes, secondsPerBlock } = store
  if (rawBytes === null || freeBytes === null || blocks === 0) return null
  const grown = rawBytes + (appBytes ?? 0) - emptyBytes * (appBytes === null ? 1 : 2)
  if (grown <= 0) return null
  const blocksLeft = Math.max(0, freeBytes) / (grown / blocks)
  const fillMs = missing === 0 ? 0 : etaMs
  if (fillMs === null) return null
  if (blocksLeft <= missing) return missing === 0 ? 0 : (fillMs * (blocksLeft / missing)) / dayMs
  if (secondsPerBlock === null) return null
  return (fillMs + (blocksLeft - missing) * secondsPerBlock * 1_000) / dayMs
}
