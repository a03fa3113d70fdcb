// What a worker does, by its row: busy, waiting for those that it depends on, or blocked until somebody does something.

import type { RowOf } from "../../data/api-query"

export type Worker = RowOf<"/ops/workers">
type WorkerState = "busy" | "waiting" | "blocked"

export const stateOf = ({ paused, leases }: Worker): WorkerState => {
  if (paused || leases.dead > 0 || (leases.failed > 0 && leases.active === 0)) return "blocked"
  return leases.active > 0 ? "busy" : "waiting"
}

const markOf = ({ watermark_height }: Worker): number => (watermark_height === null ? -1 : Number(watermark_height))

/** Blocks that the other has done and this one has not. */
export const behind = (worker: Worker, other: Worker): number => Math.max(0, markOf(other) - markOf(worker))
