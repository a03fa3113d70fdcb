// Heights of a time, by bisection over the key of raw.blocks: times rise with heights, and an index over times would cost
// every block.

import { rawIngester } from "../coordination/raw-ingester.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

/** The blocks that are certainly before a time, and certainly not. Between the two are heights that are not stored. */
export interface HeightsAround {
  /** Behind the last stored block before the time. */
  readonly behind: number
  /** Of the first stored block at or after the time; undefined if there is none yet. */
  readonly first: number | undefined
}

export async function heightsAround(tx: Queryable, time: Date): Promise<HeightsAround> {
  const height = await heightAtTime(tx, time)
  const { rows } = await tx.query<{ below: string | null; above: string | null }>(
    `select (select height from raw.blocks where height < $1 order by height desc limit 1) as below,
       (select height from raw.blocks where height >= $1 order by height limit 1) as above`,
    [height],
  )
  const { below, above } = rows[0]!
  return {
    behind: below === null ? 0 : heightFrom(below) + 1,
    first: above === null ? undefined : heightFrom(above),
  }
}

/** The first stored height at or after a time; within a gap, any height of it. */
export async function heightAtTime(tx: Queryable, time: Date): Promise<number> {
  const { rows: ends } = await tx.query<{ low: string | null; high: string | null }>(
    "select lower(heights) as low, upper(heights) as high from raw.coverage where worker_type = $1",
    [rawIngester],
  )
  const [end] = ends
  if (end?.low == null || end.high == null) return 0
  let low = heightFrom(end.low)
  let high = heightFrom(end.high)
  // The first height whose block is at or after the time is in [low, high].
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { rows } = await tx.query<{ height: string; timestamp: Date }>(
      "select height, timestamp from raw.blocks where height >= $1 and height < $2 order by height limit 1",
      [middle, high],
    )
    const [block] = rows
    if (!block) high = middle
    else if (block.timestamp < time) low = heightFrom(block.height) + 1
    else high = middle
  }
  return low
}
