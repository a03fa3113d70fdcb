// A share as a number and as a bar of it.

import type { ReactNode } from "react"
import styles from "./share.module.css"

export function Share({ percent }: { readonly percent: number }): ReactNode {
  return (
    <span className={styles.share}>
      {percent.toFixed(1)} <span className="quiet">%</span>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
    </span>
  )
}
