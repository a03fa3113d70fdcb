// How far a list is complete, by shape as well as by colour: solid, dashed, outline.

import type { ReactNode } from "react"
import { completenessOf, type Scope } from "./completeness"
import styles from "./completeness-badge.module.css"
import { formatNumber, plural } from "./format-number"

/** More than a moment of the head. */
const behindBlocks = 20n

export function CompletenessBadge({ meta }: { readonly meta: Scope | undefined }): ReactNode {
  if (!meta) return <span className={`${styles.badge} ${styles.waiting}`}>…</span>
  const state = completenessOf(meta)
  if (state.level === "missing") {
    return (
      <span
        className={`${styles.badge} ${styles.missing}`}
        title="The workers that this needs have not come to it yet"
      >
        not indexed yet
      </span>
    )
  }
  if (state.level === "complete") {
    const isBehind = state.behind > behindBlocks
    const title = isBehind ? `${plural(state.behind, "block")} up to the head are still to come` : "Nothing is missing"
    return (
      <span className={`${styles.badge} ${isBehind ? styles.partial : styles.complete}`} title={title}>
        complete to {formatNumber(state.upTo)}
      </span>
    )
  }
  const above = state.upTo === null ? "" : ` above ${formatNumber(state.upTo)}`
  return (
    <span className={`${styles.badge} ${styles.partial}`} title={`${plural(state.missing, "block")} missing`}>
      partial: {plural(state.gaps, "gap")}
      {above}
    </span>
  )
}
