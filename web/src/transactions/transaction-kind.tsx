// What a transaction does, as far as its own fields tell, and whether it failed.

import type { ReactNode } from "react"
import styles from "./transaction-kind.module.css"

interface KindProps {
  readonly row: {
    readonly status: number | null
    readonly to_address: string | null
    readonly contract_address: string | null
    readonly method_id: string | null
  }
}

export function TransactionKind({ row }: KindProps): ReactNode {
  const isDeployment = row.to_address === null && row.contract_address !== null
  const kind = isDeployment ? "deploy" : (row.method_id ?? "transfer")
  return (
    <span className={row.status === 0 ? styles.failed : styles.kind}>
      {row.status === 0 && "failed "}
      {kind}
    </span>
  )
}
