// What was done, and where the audit log has it.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { plainText } from "../../parts/plain-text"
import { useOps } from "../access/ops-query"
import type { Act } from "./act"
import styles from "./act-dialog.module.css"

interface ActDoneProps {
  readonly act: Act
  readonly words: string
  readonly actor: string | undefined
  readonly onClose: () => void
}

export function ActDone({ act: { audited: action }, words, actor, onClose }: ActDoneProps): ReactNode {
  const chain = useChain()
  // Asked after it was done: the newest row of this actor and action is the act's.
  const { data, isFetching } = useOps(
    chain,
    "/ops/audit",
    { action, actor, limit: 1 },
    { everyMs: Number.POSITIVE_INFINITY, enabled: actor !== undefined },
  )
  const row = isFetching ? undefined : data?.data[0]
  return (
    <>
      <p className={styles.done} role="status">
        {words}
      </p>
      <p className="quiet">
        <Link to="/console/$chain/audit" params={{ chain }} search={{ action, actor }} onClick={onClose}>
          {row ? `Row ${row.id} of the audit log of ${row.store}` : "The audit log"}
        </Link>{" "}
        has it, as {action} by {plainText(actor ?? "you", 80)}.
      </p>
      <div className={styles.buttons}>
        <button type="button" className={styles.go} data-close="" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  )
}
