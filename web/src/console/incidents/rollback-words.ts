// What a row of the rollbacks says, in words. Pure.

import type { RowOf } from "../../data/api-query"
import { formatNumber } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"

type Rollback = RowOf<"/ops/rollbacks">

/** The upper end of one that removes everything above is the highest block that was there. */
const lastOf = ({ removed_to, highest_height }: Rollback): bigint | undefined =>
  removed_to !== null ? BigInt(removed_to) - 1n : highest_height !== null ? BigInt(highest_height) : undefined

export function removedOf(row: Rollback): string {
  if (row.removed_from === null) return "nothing"
  const last = lastOf(row)
  const from = formatNumber(row.removed_from)
  if (last === undefined || last < BigInt(row.removed_from)) return `from block ${from} on`
  return last === BigInt(row.removed_from) ? `block ${from}` : `blocks ${from} to ${formatNumber(last)}`
}

/** In blocks. */
export function depthOf(row: Rollback): bigint | undefined {
  const last = lastOf(row)
  if (row.removed_from === null || last === undefined) return undefined
  const depth = last - BigInt(row.removed_from) + 1n
  return depth > 0n ? depth : undefined
}

const asked = /, asked for by (.+)$/s

/** Null: Tidemark, by itself. Where the audit log has nothing, the reason may say it. */
export const whoOf = ({ reason, actor }: Rollback): string | null => actor ?? asked.exec(reason ?? "")?.[1] ?? null
/** Without who asked for it, which is said beside it. */
export const reasonOf = ({ reason }: Rollback): string | null => reason?.replace(asked, "") ?? null

export const formatTook = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(ms)
