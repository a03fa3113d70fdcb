// From page to page of a list. Cursors live in the URL, so that Back goes back and a page can be linked to.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import styles from "./pager.module.css"

interface PagerProps {
  /** Of this page; undefined on the first. */
  readonly cursor: string | undefined
  readonly next: string | null | undefined
  readonly first?: string
  readonly older?: string
}

export function Pager({ cursor, next, first = "Newest", older = "Older" }: PagerProps): ReactNode {
  if (cursor === undefined && !next) return null
  return (
    <nav className={styles.pager} aria-label="Pages">
      {cursor === undefined ? (
        <span />
      ) : (
        <Link to="." search={((before: object) => ({ ...before, cursor: undefined })) as never}>
          ← {first}
        </Link>
      )}
      {next && (
        <Link to="." search={((before: object) => ({ ...before, cursor: next })) as never} data-next="">
          {older} →
        </Link>
      )}
    </nav>
  )
}
