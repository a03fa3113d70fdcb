// A card with a heading, and what stands beside the heading.

import { type ReactNode, useId } from "react"
import styles from "./panel.module.css"

interface PanelProps {
  readonly title: string
  readonly quiet?: ReactNode
  readonly side?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, quiet, side, children }: PanelProps): ReactNode {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {quiet && <span className={styles.quiet}>{quiet}</span>}
        {side && <span className={styles.side}>{side}</span>}
      </header>
      {children}
    </section>
  )
}
