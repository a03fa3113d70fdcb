// Whether it succeeded. Old transactions do not say.

import type { ReactNode } from "react"
import styles from "./transaction-status.module.css"

export function TransactionStatus({ status }: { readonly status: number | null }): ReactNode {
  if (status === null) return <span className="quiet">not recorded by the chain at that time</span>
  return status === 1 ? (
    <span className={styles.done}>succeeded</span>
  ) : (
    <span className={styles.failed}>failed: its changes were undone, its fee was paid</span>
  )
}
