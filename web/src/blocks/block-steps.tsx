// To the block before and after; the keys [ and ] do the same.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import styles from "./block-steps.module.css"

export function BlockSteps({ height }: { readonly height: string }): ReactNode {
  const chain = useChain()
  const at = BigInt(height)
  const to = "/$chain/blocks/$block"
  return (
    <nav className={styles.steps} aria-label="Neighbouring blocks">
      {at > 0n && (
        <Link to={to} params={{ chain, block: String(at - 1n) }} data-key="[">
          ← Previous
        </Link>
      )}
      <Link to={to} params={{ chain, block: String(at + 1n) }} data-key="]">
        Next →
      </Link>
    </nav>
  )
}
