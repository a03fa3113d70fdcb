// Which workers wait for one, by way of others too. Pure.

import type { Worker } from "./worker-state"

export function heldBy(name: string, workers: readonly Worker[], seen = new Set<string>()): readonly string[] {
  for (const { worker, dependencies } of workers) {
    if (!dependencies.includes(name) || seen.has(worker)) continue
    seen.add(worker)
    heldBy(worker, workers, seen)
  }
  return [...seen]
}
