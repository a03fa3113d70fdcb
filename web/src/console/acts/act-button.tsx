// Opens an act. Without a token it says that one is needed, and can still be opened to read what it would do.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { type ActorState, useActor } from "../access/use-actor"
import type { Act } from "./act"
import styles from "./act-button.module.css"
import { useOpenAct } from "./act-context"

interface ActButtonProps {
  /** Described when it is opened. */
  readonly act: () => Act
  /** In a list: what it is about, which the eye sees in its row. */
  readonly about?: string
  readonly children: string
}

const needs: Readonly<Partial<Record<ActorState, string>>> = {
  token: "needs the admin token",
  refused: "needs the admin token; that of this tab was refused",
  none: "this process has no admin routes",
  elsewhere: "this process cannot write to this chain",
}

export function ActButton({ act, about, children }: ActButtonProps): ReactNode {
  const open = useOpenAct()
  const { state } = useActor(useChain())
  const need = needs[state]
  return (
    <button type="button" className={styles.act} title={need} aria-haspopup="dialog" onClick={() => open(act())}>
      {need !== undefined && (
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5 7V5a3 3 0 0 1 6 0v2M3.5 7h9v6.5h-9z" />
        </svg>
      )}
      {children}
      {about !== undefined && <span className="hidden"> {about}</span>}
    </button>
  )
}
