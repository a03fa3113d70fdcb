// A rollback or a halt, said as what it is and for as long as it matters.

import type { ReactNode } from "react"
import { useLive } from "../live/live-context"
import { formatNumber } from "../parts/format-number"
import { formatAge } from "../parts/format-time"
import { useNow } from "../parts/now-context"
import { plainText } from "../parts/plain-text"
import styles from "./live-notice.module.css"

const rollbackShownMs = 60_000

export function LiveNotice(): ReactNode {
  const { rollback, halted } = useLive()
  const now = useNow()
  const age = rollback ? now - Date.parse(rollback.created_at) : Number.POSITIVE_INFINITY
  const shown = halted !== undefined || age < rollbackShownMs
  return (
    <div role="status" className={shown ? styles.notice : "hidden"}>
      {halted !== undefined ? (
        <>
          <b>Ingestion has stopped until an operator decides.</b> {plainText(halted, 200)}
        </>
      ) : (
        rollback &&
        shown && (
          <>
            <b>Blocks from {formatNumber(rollback.removed_from)} on were rolled back</b> {formatAge(age)}: the chain
            took another way. What you see follows it.
          </>
        )
      )}
    </div>
  )
}
