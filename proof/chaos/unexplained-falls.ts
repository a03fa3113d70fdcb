// Watermarks from look to look: one falls only by a rollback that is on record since, or by what a person did on record.

import type { Rollbacks } from "./look-sql.js"

export interface Watermarks extends Pick<Rollbacks, "fell_to"> {
  /** Exclusive, by worker. One that is gone has nothing. */
  readonly watermarks: ReadonlyMap<string, number>
  readonly start: number
  /** How often a person took back what was done. */
  readonly acts: number
}

/** Which fell from the first look to the second, and nothing explains it. `fell_to` is of what came between. */
export function unexplainedFalls(before: Watermarks | undefined, now: Watermarks): string[] {
  if (!before || now.acts !== before.acts) return []
  return [...before.watermarks].flatMap(([worker, was]) => {
    const is = now.watermarks.get(worker) ?? now.start
    const isExplained = now.fell_to !== null && now.fell_to <= is
    return is < was && !isExplained ? [`the watermark of ${worker} fell from ${was} to ${is} without a rollback`] : []
  })
}
