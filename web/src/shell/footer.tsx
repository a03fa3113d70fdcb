// What one may want to know at the end of a page.

import type { ReactNode } from "react"
import styles from "./footer.module.css"

export function Footer(): ReactNode {
  return (
    <footer className={styles.footer}>
      <span>Every number here says how far it is complete.</span>
      <a href="/docs">REST</a>
      <a href="/graphql">GraphQL</a>
      <a href="/status">Status</a>
    </footer>
  )
}
