// The first stored height at or after a time, by bisection over the key of raw.blocks: times rise with heights, and an
// index over times would cost every block.

import { rawIngester } from "../coordination/raw-ingester.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

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
