// A word in a frame.

import type { ReactNode } from "react"
import styles from "./tag.module.css"

interface TagProps {
  readonly children: ReactNode
  readonly tone?: "plain" | "failed"
  readonly title?: string
}

export function Tag({ children, tone = "plain", title }: TagProps): ReactNode {
  return (
    <span className={`${styles.tag} ${tone === "failed" ? styles.failed : ""}`} title={title}>
      {children}
    </span>
  )
}
