// The head of every page: where one is, where one can go, and what one looks for.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { ChainSwitch } from "./chain-switch"
import styles from "./header.module.css"
import { SearchBox } from "./search-box"
import { ThemeButton } from "./theme-button"

export function Header(): ReactNode {
  const chain = useChain()
  const active = { className: styles.on }
  return (
    <header className={styles.header}>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <Link to="/$chain" params={{ chain }} className={styles.brand} aria-label="Tidemark, home">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <circle cx="16" cy="16" r="14" />
          <path d="M4 17c4-4 8-4 12 0s8 4 12 0a12 12 0 0 1-24 0z" />
        </svg>
        <span>Tidemark</span>
      </Link>
      <nav className={styles.nav} aria-label="Pages">
        <Link to="/$chain/blocks" params={{ chain }} activeProps={active}>
          Blocks
        </Link>
        <Link to="/$chain/transactions" params={{ chain }} activeProps={active}>
          Transactions
        </Link>
        <Link to="/$chain/tokens" params={{ chain }} activeProps={active}>
          Tokens
        </Link>
        <Link to="/$chain/collections" params={{ chain }} activeProps={active}>
          NFTs
        </Link>
        <Link to="/$chain/stats" params={{ chain }} activeProps={active}>
          Stats
        </Link>
        <Link to="/console/$chain" params={{ chain }} activeProps={active}>
          Console
        </Link>
        <a href="/docs">API</a>
      </nav>
      <SearchBox />
      <ChainSwitch />
      <ThemeButton />
    </header>
  )
}
