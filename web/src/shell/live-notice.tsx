// A rollback or a halt, said as what it is and for as long as it matters, or until somebody has read it.

import { type ReactNode, useState } from "react"
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
  const [read, setRead] = useState<string>()
  const age = rollback ? now - Date.parse(rollback.created_at) : Number.POSITIVE_INFINITY
  const subject = halted === undefined ? rollback?.created_at : `halted: ${halted}`
  const isShown = (halted !== undefined || age < rollbackShownMs) && read !== subject
  if (!isShown) return null
  return (
    <div className={styles.notice}>
      {halted === undefined ? (
        <span>
          <b>Blocks from {formatNumber(rollback!.removed_from)} on were rolled back</b> {formatAge(age)}: the chain was
          reorganised. What this page shows of them is marked.
        </span>
      ) : (
        <span>
          <b>Ingestion has stopped until an operator decides.</b> {plainText(halted, 200)}
        </span>
      )}
      <button type="button" onClick={() => setRead(subject)}>
        Close
      </button>
    </div>
  )
}
