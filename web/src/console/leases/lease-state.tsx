// What a lease does, in words: a range that is tried again says so, also while it runs.

import type { ReactNode } from "react"
import type { RowOf } from "../../data/api-query"
import { plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { useNow } from "../../parts/now-context"
import { StateMark } from "../figures/state-mark"

export type Lease = RowOf<"/ops/leases">

interface LeaseStateProps {
  readonly lease: Lease
  /** When the row was read: its durations are as of then. */
  readonly readAt: number
}

export function LeaseState({ lease, readAt }: LeaseStateProps): ReactNode {
  const passed = Math.max(0, useNow() - readAt)
  const [tone, words, more] = wordsOf(lease, passed)
  return (
    <StateMark tone={tone}>
      <span>
        {words} <span className="quiet">{more}</span>
      </span>
    </StateMark>
  )
}

type Tone = "plain" | "partial" | "failed"

function wordsOf({ status, attempt, ...lease }: Lease, passed: number): readonly [Tone, string, string] {
  if (status === "DEAD") return ["failed", "dead", `after ${plural(attempt, "try", "tries")}`]
  if (status === "FAILED") {
    const left = (lease.next_attempt_in_ms ?? 0) - passed
    return ["partial", `waits for try ${attempt + 1}`, left > 0 ? `in ${formatDuration(left)}` : "due now"]
  }
  const since = `for ${formatDuration((lease.leased_for_ms ?? 0) + passed)}`
  return attempt > 1 ? ["partial", `runs, try ${attempt}`, since] : ["plain", "runs", since]
}
