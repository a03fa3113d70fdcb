// The call that a transaction is: the function with its arguments, and whose word that is.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { AbiSource } from "../decoded/abi-source"
import { Parts } from "../decoded/decoded-value"
import { Panel } from "../parts/panel"
import styles from "./call-panel.module.css"
import type { Transaction } from "./transaction-facts"

export function CallPanel({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const { decoded, method_id: method } = transaction
  if (method === null) return null
  const raw = (
    <Link to="." search={{ tab: "input" } as never} resetScroll={false}>
      Input
    </Link>
  )
  if (!decoded) {
    return (
      <Panel title="Call">
        <p className={styles.unknown}>
          No ABI that is known here fits <code>{method}</code> and what follows it. The bytes are under {raw}.
        </p>
      </Panel>
    )
  }
  return (
    <Panel title="Call" side={<AbiSource abi={decoded.abi} />}>
      <div className={styles.call}>
        <code className={styles.signature}>{decoded.signature}</code>
        {decoded.args.length > 0 ? <Parts parts={decoded.args} /> : <p className="quiet">Without arguments.</p>}
      </div>
    </Panel>
  )
}
