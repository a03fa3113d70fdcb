// A row of numbers with what each of them is.

import type { ReactNode } from "react"
import styles from "./figures.module.css"

export interface Figure {
  readonly number: string
  readonly words: string
  readonly tone?: "plain" | "partial" | "failed"
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }): ReactNode {
  return (
    <dl className={styles.figures}>
      {figures.map(({ number, words, tone = "plain" }) => (
        <div key={words} className={styles[tone]}>
          <dt>{words}</dt>
          <dd>{number}</dd>
        </div>
      ))}
    </dl>
  )
}
