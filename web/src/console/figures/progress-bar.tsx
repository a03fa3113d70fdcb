// How far something is that takes a while, in the tone of the tideline. Without a total, that it goes on.

import type { ReactNode } from "react"
import styles from "./progress-bar.module.css"

interface ProgressBarProps {
  readonly label: string
  readonly done: number | undefined
  readonly total: number | undefined
}

export function ProgressBar({ label, done, total }: ProgressBarProps): ReactNode {
  return <progress className={styles.bar} max={total} value={done} aria-label={label} />
}
