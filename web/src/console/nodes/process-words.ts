// What a process does now, and what keeps it from doing more, in words. Pure.

import type { RowOf } from "../../data/api-query"
import { plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"

const silentMs = 10_000

const pauses: Readonly<Record<string, string>> = {
  disk: "the disk of the database is nearly full: free space, and it goes on by itself",
  draining: "it stops as soon as the ranges that it holds are done",
}

interface ProcessState {
  readonly tone: "plain" | "partial" | "failed"
  readonly state: string
  readonly why: string | undefined
}

export function processState(process: RowOf<"/ops/processes">, now: number): ProcessState {
  const { paused, last_fault, idle_workers, seen_ago_ms, last_stored_at } = process
  const ageOf = (at: string): string => formatDuration(Math.max(0, now - Date.parse(at)))
  if (seen_ago_ms > silentMs)
    return { tone: "failed", state: "silent", why: `for ${formatDuration(seen_ago_ms)}; its leases end by themselves` }
  if (paused !== null) return { tone: "partial", state: "paused", why: pauses[paused] ?? paused }
  if (last_fault !== null)
    return {
      tone: "failed",
      state: last_fault.code.slice(0, 40),
      why: `${ageOf(last_fault.at)} ago: ${last_fault.message}`,
    }
  if (idle_workers.length > 0) {
    const [first] = idle_workers
    const why = `${plural(idle_workers.length, "worker")} does not run here: ${first!.worker}: ${first!.message}`
    return { tone: "partial", state: "runs", why }
  }
  const why = last_stored_at === null ? undefined : `stored something ${ageOf(last_stored_at)} ago`
  return { tone: "plain", state: "runs", why }
}
