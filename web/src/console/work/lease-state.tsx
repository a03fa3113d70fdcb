// What a lease does, in words: a range that is tried again says so, also while it runs.

import type { ReactNode } from "react"
import type { RowOf } from "../../data/api-query"
import { plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { useNow } from "../../parts/now-context"
import styles from "./lease-state.module.css"

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
    <span className={`${styles.state} ${styles[tone]}`}>
      {words}
      {more !== "" && <span className="quiet"> {more}</span>}
    </span>
  )
}

type Tone = "runs" | "retries" | "dead"

function wordsOf({ status, attempt, ...lease }: Lease, passed: number): readonly [Tone, string, string] {
  if (status === "DEAD") return ["dead", "dead", `after ${plural(attempt, "try", "tries")}`]
  if (status === "FAILED") {
    const left = (lease.next_attempt_in_ms ?? 0) - passed
    return ["retries", `waits for try ${attempt + 1}`, left > 0 ? `in ${formatDuration(left)}` : "due now"]
  }
  const since = `for ${formatDuration((lease.leased_for_ms ?? 0) + passed)}`
  return attempt > 1 ? ["retries", `runs, try ${attempt}`, since] : ["runs", "runs", since]
}
