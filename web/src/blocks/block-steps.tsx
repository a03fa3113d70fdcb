// To the block before and after; the keys [ and ] do the same. Beside them, what is to be said of the block.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import styles from "./block-steps.module.css"

export function BlockSteps({
  height,
  children,
}: {
  readonly height: string
  readonly children?: ReactNode
}): ReactNode {
  const chain = useChain()
  const at = BigInt(height)
  const to = "/$chain/blocks/$block"
  return (
    <div className={styles.steps}>
      <nav aria-label="Neighbouring blocks">
        {at > 0n && (
          <Link to={to} params={{ chain, block: String(at - 1n) }} data-key="[">
            ← Previous
          </Link>
        )}
        <Link to={to} params={{ chain, block: String(at + 1n) }} data-key="]">
          Next →
        </Link>
      </nav>
      {children}
    </div>
  )
}
