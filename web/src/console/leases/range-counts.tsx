// How many ranges of a worker run, wait and are dead.

import type { ReactNode } from "react"
import { formatNumber } from "../../parts/format-number"
import type { Worker } from "../graph/worker-state"
import styles from "./work-page.module.css"

export function RangeCounts({ leases: { active, failed, dead } }: Pick<Worker, "leases">): ReactNode {
  if (active + failed + dead === 0) return <span className="quiet">none</span>
  return (
    <span className={styles.counts}>
      {active > 0 && <span>{formatNumber(active)} running</span>}
      {failed > 0 && <span className={styles.failed}>{formatNumber(failed)} waiting</span>}
      {dead > 0 && <span className={styles.dead}>{formatNumber(dead)} dead</span>}
    </span>
  )
}
