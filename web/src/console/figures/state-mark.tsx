// A state as a word with a mark, whose shape says it as well as its colour: filled, hatched, crossed.

import type { ReactNode } from "react"
import styles from "./state-mark.module.css"

interface StateMarkProps {
  readonly tone: "plain" | "partial" | "failed" | "quiet"
  readonly children: ReactNode
}

export function StateMark({ tone, children }: StateMarkProps): ReactNode {
  return (
    <span className={`${styles.state} ${styles[tone]}`}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        {tone === "failed" ? (
          <path d="M1 1l8 8M9 1l-8 8" />
        ) : (
          <circle cx="5" cy="5" r="4" {...(tone === "plain" ? {} : { className: styles.open })} />
        )}
        {tone === "partial" && <path d="M5 1v8A4 4 0 0 1 5 1z" className={styles.half} />}
      </svg>
      {children}
    </span>
  )
}
