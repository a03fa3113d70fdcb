// A size as a bar, beside the largest. Its indexes are hatched.

import type { ReactNode } from "react"
import styles from "./size-bar.module.css"

interface SizeBarProps {
  readonly bytes: number
  readonly hatched: number
  /** What fills the bar. */
  readonly most: number
}

export function SizeBar({ bytes, hatched, most }: SizeBarProps): ReactNode {
  const width = (part: number) => ({ width: `${(part / Math.max(1, most)) * 100}%` })
  return (
    <span className={styles.bar} aria-hidden="true">
      <span className={styles.rows} style={width(bytes - hatched)} />
      <span className={styles.indexes} style={width(hatched)} />
    </span>
  )
}
