// An error of a lease: its code, and its message in one line. The whole of it is shown on demand. It may be any text.

import type { ReactNode } from "react"
import { plainText } from "../../parts/plain-text"
import { Tag } from "../../parts/tag"
import styles from "./error-text.module.css"

const short = 160
const long = 2_000

interface ErrorTextProps {
  readonly code: string | null
  readonly text: string | null
  /** How long ago. */
  readonly age?: string | undefined
}

export function ErrorText({ code, text, age }: ErrorTextProps): ReactNode {
  const line = plainText(text ?? "", short)
  const whole = plainText(text ?? "", long)
  const tag = code !== null && <Tag tone="failed">{code}</Tag>
  if (line === "") return tag || <span className={`quiet ${styles.none}`}>none</span>
  return (
    <details className={styles.error}>
      <summary title={age}>
        {tag}
        <span>{line}</span>
      </summary>
      <p>
        {whole}
        {age && <span className="quiet"> {age}</span>}
      </p>
    </details>
  )
}
