// An error of a lease: its code, and its message in one line. The whole of it is shown on demand. It may be any text.

import type { ReactNode } from "react"
import { plainText } from "../../parts/plain-text"
import { Tag } from "../../parts/tag"
import styles from "./error-text.module.css"

const short = 160
const long = 2_000

export function ErrorText({ code, text }: { readonly code: string | null; readonly text: string | null }): ReactNode {
  const line = plainText(text ?? "", short)
  const whole = plainText(text ?? "", long)
  const tag = code !== null && <Tag tone="failed">{code}</Tag>
  if (line === "") return tag || <span className="quiet">none</span>
  return (
    <details className={styles.error}>
      <summary>
        {tag} <span>{line}</span>
      </summary>
      <p>{whole}</p>
    </details>
  )
}
