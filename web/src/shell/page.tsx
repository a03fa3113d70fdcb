// The frame of a page's content: its title in the tab, its heading, and the words below.

import { type ReactNode, useEffect } from "react"
import styles from "./page.module.css"

interface PageProps {
  readonly title: string
  /** Instead of the title as heading. */
  readonly heading?: ReactNode
  readonly sub?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, heading, sub, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Tidemark`
  }, [title])
  return (
    <main className={styles.page} id="content" tabIndex={-1}>
      <h1 title={title}>{heading ?? title}</h1>
      <div className={styles.sub}>{sub}</div>
      {children}
    </main>
  )
}
