// What is out of the ordinary about a worker, in a word or two each; most telling first. Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import type { WorkerStatus } from "../status/chain-status.js"

export interface WorkerFlag {
  readonly text: string
  readonly kind: "bad" | "busy"
}

export function workerFlags({
  worker,
  registration,
  leases,
  openErrors,
  skipped,
}: WorkerStatus): readonly WorkerFlag[] {
  const skippedBlocks = countHeights(skipped)
  const flags: (WorkerFlag | undefined)[] = [
    count(leases.dead, "dead", "bad"),
    registration?.paused ? { text: "paused", kind: "busy" } : undefined,
    worker !== rawIngester && !registration ? { text: "no tables", kind: "bad" } : undefined,
    count(openErrors, openErrors === 1 ? "error" : "errors", "bad"),
    count(leases.failed, "failed", "busy"),
    count(skippedBlocks, "skipped", "busy"),
    count(leases.active, "active", "busy"),
    registration?.concurrency == null ? undefined : { text: `${registration.concurrency} at once`, kind: "busy" },
  ]
  return flags.filter((flag) => flag !== undefined)
}

const count = (number: number, word: string, kind: WorkerFlag["kind"]): WorkerFlag | undefined =>
  number === 0 ? undefined : { text: `${number} ${word}`, kind }
