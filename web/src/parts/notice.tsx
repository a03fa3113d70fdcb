// What happened, since when, and what to do: for errors, emptiness and what is not there yet.

import type { ReactNode } from "react"
import styles from "./notice.module.css"

interface NoticeProps {
  readonly title: string
  readonly tone?: "plain" | "partial" | "failed"
  readonly children?: ReactNode
}

export function Notice({ title, tone = "plain", children }: NoticeProps): ReactNode {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === "failed" ? "alert" : "status"}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
