// Exactly what a rollback would remove, and the way to its second step.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { Facts } from "../../parts/facts"
import { formatNumber, plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { useNow } from "../../parts/now-context"
import { plainText } from "../../parts/plain-text"
import { useStatus } from "../access/use-status"
import { ActButton } from "../acts/act-button"
import { type RollbackPlan, rollBack } from "./rollback-acts"
import styles from "./rollback-panel.module.css"

interface RollbackPlanViewProps {
  readonly plan: RollbackPlan
  /** When it was made. */
  readonly at: number
  readonly onDone: () => void
}

export function RollbackPlanView({ plan, at, onDone }: RollbackPlanViewProps): ReactNode {
  const chain = useChain()
  const now = useNow()
  const { data: status } = useStatus()
  const { to, highest, blocks, transactions, events, halt, workers, expires_in_ms } = plan
  const leftMs = at + expires_in_ms - now
  const finalized = status?.finalized_height
  const isFinal = finalized != null && BigInt(to) < BigInt(finalized)
  return (
    <section className={styles.plan} aria-label="The plan">
      <Facts
        facts={[
          {
            name: "Removes",
            value: (
              <>
                <b>
                  blocks {formatNumber(BigInt(to) + 1n)} to {formatNumber(highest)}
                </b>
                , {plural(blocks, "block")} with {plural(transactions, "transaction")} and {plural(events, "event")}
              </>
            ),
          },
          { name: "Undoes", value: workers.length === 0 ? "nothing that was derived" : <Workers workers={workers} /> },
          { name: "Keeps", value: `block ${formatNumber(to)} and everything below` },
          {
            name: "Final blocks",
            value: isFinal && (
              <b className={styles.grave}>
                Blocks up to {formatNumber(finalized)} are final for the node. Removing them makes sense only if it is
                the node that was wrong.
              </b>
            ),
          },
          {
            name: "The halt",
            value:
              halt !== null && `ends, if the node then agrees with the store. Its reason: ${plainText(halt, 400)}`,
          },
          {
            name: "Good for",
            value: leftMs > 0 ? `${formatDuration(leftMs)}, and until the chain changes` : "no longer: plan it again",
          },
        ].filter(({ value }) => value !== false)}
      />
      <p className={styles.next}>
        {leftMs > 0 && <ActButton act={() => rollBack({ chain, plan, onDone })}>{`Roll back to ${to}…`}</ActButton>}
      </p>
    </section>
  )
}

function Workers({ workers }: Pick<RollbackPlan, "workers">): ReactNode {
  const counts = new Map<number, string[]>()
  for (const { worker, blocks } of workers) counts.set(blocks, [...(counts.get(blocks) ?? []), plainText(worker)])
  return (
    <ul className={styles.workers}>
      {[...counts]
        .sort(([a], [b]) => b - a)
        .map(([blocks, names]) => (
          <li key={blocks}>
            {plural(blocks, "block")} of {names.join(", ")}
          </li>
        ))}
    </ul>
  )
}
