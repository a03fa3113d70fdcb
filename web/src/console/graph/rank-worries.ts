// What to look at first: the worker that holds most others back stands on top. Pure.

import { plural } from "../../parts/format-number"
import { heldBy } from "./held-by"
import { behind, type Worker } from "./worker-state"

export interface Worry {
  readonly worker: string
  readonly words: string
  /** Whether it stands still until a person acts. */
  readonly isBlocked: boolean
}

export function rankWorries(workers: readonly Worker[]): Worry[] {
  const found = workers.flatMap((worker) => {
    const said = worryOf(worker, workers)
    if (!said) return []
    const held = heldBy(worker.worker, workers).length
    const others = held > 0 ? `; it holds back ${plural(held, "other worker")}` : ""
    return [{ ...said, words: said.words + others, weight: said.weight + held }]
  })
  return found
    .sort((a, b) => b.weight - a.weight)
    .map(({ worker, words, isBlocked }) => ({ worker, words, isBlocked }))
}

function worryOf(worker: Worker, workers: readonly Worker[]): (Worry & { readonly weight: number }) | undefined {
  const { worker: name, leases, paused, paused_reason, open_errors, lag_blocks } = worker
  if (leases.dead > 0) return said(name, `${plural(leases.dead, "dead block")}`, 1_000, true)
  if (paused) return said(name, `paused${paused_reason ? `: ${paused_reason}` : ""}`, 800, true)
  if (leases.failed > 0) return said(name, `${plural(leases.failed, "range")} failed, and will be tried again`, 600)
  const needed = workers.filter((other) => worker.dependencies.includes(other.worker))
  const least = needed.length > 0 ? Math.min(...needed.map((other) => behind(worker, other))) : 0
  if (least > 64) return said(name, `${plural(least, "block")} behind what it depends on`, 400)
  if (open_errors > 0) return said(name, `${plural(open_errors, "open error")}`, 200)
  if (needed.length === 0 && (lag_blocks ?? 0) > 64)
    return said(name, `${plural(lag_blocks!, "block")} behind the head`, 300)
  return undefined
}

const said = (worker: string, words: string, weight: number, isBlocked = false) => ({
  worker,
  words,
  weight,
  isBlocked,
})
