// What one may do about a lease: nothing while it runs.

import type { ReactNode } from "react"
import { ActButton } from "../acts/act-button"
import { retryBlock, skipBlock } from "./block-acts"
import type { Ground } from "./dead-acts"
import type { Lease } from "./lease-state"
import styles from "./work-page.module.css"

export function LeaseActs({ ground, lease }: { readonly ground: Ground; readonly lease: Lease }): ReactNode {
  const { worker, from: height, status } = lease
  if (status === "ACTIVE") return <span className="quiet">–</span>
  const about = `${worker}, block ${height}`
  return (
    <span className={styles.acts}>
      <ActButton act={() => retryBlock(ground, lease)} about={about}>
        Retry
      </ActButton>
      {status === "DEAD" && (
        <ActButton act={() => skipBlock(ground, lease)} about={about}>
          Skip
        </ActButton>
      )}
    </span>
  )
}
