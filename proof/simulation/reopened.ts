// The heights that a transaction reopened by an operator's act, as its audit log says.

import type { RangeSet } from "../../src/domain/range-set.js"
import { parseMultirange } from "../../src/postgres/multirange.js"
import type { Committed } from "./model/model-database.js"

export interface Reopened {
  readonly workers: readonly string[]
  readonly heights: RangeSet
}

interface Details {
  readonly worker_type: string
  readonly heights?: string
  readonly dependents?: readonly string[]
}

export function reopenedBy(committed: Committed): readonly Reopened[] {
  return committed.of("audit_log").flatMap(({ after }) => {
    const { worker_type, heights, dependents } = after!["details"] as Details
    if (heights === undefined || dependents === undefined) return []
    return [{ workers: [worker_type, ...dependents], heights: parseMultirange(heights) }]
  })
}
