// What is missing before one can act: the token, or a process that takes acts.

import type { ReactNode } from "react"
import type { ActorState } from "../access/use-actor"
import styles from "./act-fields.module.css"
import { missingWords } from "./missing-words"

interface ActTokenProps {
  readonly state: ActorState
  readonly typed: string
  readonly onChange: (typed: string) => void
}

export function ActToken({ state, typed, onChange }: ActTokenProps): ReactNode {
  const missing = missingWords[state]
  if (!missing) return null
  if (state === "none" || state === "elsewhere") {
    return (
      <p className={styles.missing}>
        <b>{missing.title}.</b> {missing.todo}
      </p>
    )
  }
  return (
    <div className={styles.fields}>
      <label>
        <span>
          Admin token{" "}
          <span className="quiet">{state === "refused" ? "the last one was refused" : "kept in this tab only"}</span>
        </span>
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={typed}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
    </div>
  )
}
