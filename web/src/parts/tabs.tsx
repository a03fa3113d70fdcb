// Parts of a page, one at a time. Which one is in the address.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import styles from "./tabs.module.css"

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly id: string; readonly name: string }[]
  readonly shown: string
}

export function Tabs({ label, tabs, shown }: TabsProps): ReactNode {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ id, name }, at) => (
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
        </Link>
      ))}
    </nav>
  )
}
