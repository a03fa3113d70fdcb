// Parts of a page, one at a time. Which one is in the address.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { formatNumber } from "./format-number"
import styles from "./tabs.module.css"

interface Tab {
  readonly id: string
  readonly name: string
  /** Of its rows; null while it is awaited. */
  readonly count?: string | number | null | undefined
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly shown: string
}

export function Tabs({ label, tabs, shown }: TabsProps): ReactNode {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ id, name, count }, at) => (
        <Link
          key={id}
          to="."
          search={(at === 0 ? {} : { tab: id }) as never}
          resetScroll={false}
          aria-current={id === shown ? "page" : undefined}
          className={id === shown ? styles.shown : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name}
          {count !== undefined && <span className={styles.count}>{count === null ? "" : formatNumber(count)}</span>}
        </Link>
      ))}
    </nav>
  )
}
