// A rollback in two steps: the height, then exactly what would be removed. The height is in the address, the plan is not: it
// is good for a few minutes and for this state of the chain.

import { useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useId, useRef, useState } from "react"
import { useChain } from "../../app/chain-context"
import { Panel } from "../../parts/panel"
import { useActor } from "../access/use-actor"
import { useAdminToken } from "../access/use-admin-token"
import { ActFailure } from "../acts/act-failure"
import { ActToken } from "../acts/act-token"
import { planRollback, type RollbackPlan } from "./rollback-acts"
import styles from "./rollback-panel.module.css"
import { RollbackPlanView } from "./rollback-plan-view"

type Planned =
  | { readonly kind: "none" | "asking" }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "planned"; readonly plan: RollbackPlan; readonly at: number }

export function RollbackPanel(): ReactNode {
  const id = useId()
  const chain = useChain()
  const navigate = useNavigate({ from: "/console/$chain/incidents" })
  const { to = "" } = useSearch({ from: "/console/$chain/incidents" })
  const { state } = useActor(chain)
  const [, setToken] = useAdminToken()
  const [typedToken, setTypedToken] = useState("")
  const [planned, setPlanned] = useState<Planned>({ kind: "none" })
  const asked = useRef(0)
  const clear = (): void => {
    asked.current++
    setPlanned({ kind: "none" })
  }
  const canPlan = state !== "none" && state !== "elsewhere"

  const plan = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const height = String(new FormData(event.currentTarget).get("to")).replaceAll(",", "").trim()
    if (typedToken.trim() !== "") setToken(typedToken.trim())
    setTypedToken("")
    void navigate({ search: (before) => ({ ...before, to: height }), replace: true, resetScroll: false })
    setPlanned({ kind: "asking" })
    const mine = ++asked.current
    // The answer for a height that was changed meanwhile is of no use.
    const keep = (next: Planned): void => (mine === asked.current ? setPlanned(next) : undefined)
    planRollback(chain, height).then(
      (plan) => keep({ kind: "planned", plan, at: Date.now() }),
      (error: Error) => keep({ kind: "failed", error }),
    )
  }
  return (
    <Panel title="Roll back" quiet="in two steps: the plan changes nothing">
      <form className={styles.form} onSubmit={plan} aria-label="Plan a rollback">
        <p>
          A rollback removes all blocks above a height and everything derived from them. Reorganisations are rolled
          back without you; this is for a halt, or where a node was wrong for a while.
        </p>
        <div className={styles.fields}>
          <span>
            <label htmlFor={id}>The last block that stays</label>
            <input
              // Another height of the address is another plan.
              key={to}
              {...{ id, name: "to", defaultValue: to, required: true, autoComplete: "off", inputMode: "numeric" }}
              {...{ pattern: "[0-9,]{1,20}", title: "A height, in digits" }}
              onChange={clear}
            />
          </span>
          {canPlan && (
            <button type="submit" disabled={planned.kind === "asking"}>
              {planned.kind === "asking" ? "Asking…" : "Plan"}
            </button>
          )}
        </div>
        <ActToken state={state} typed={typedToken} onChange={setTypedToken} />
      </form>
      {planned.kind === "failed" && (
        <div className={styles.failure}>
          <ActFailure error={planned.error} done={0} />
        </div>
      )}
      {planned.kind === "planned" && <RollbackPlanView plan={planned.plan} at={planned.at} onDone={clear} />}
    </Panel>
  )
}
