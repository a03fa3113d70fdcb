// One quiet line above what can be acted on, where something is missing to act.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { useActor } from "../access/use-actor"
import styles from "./act-notice.module.css"
import { missingWords } from "./missing-words"

export function ActNotice(): ReactNode {
  const { state } = useActor(useChain())
  const missing = missingWords[state]
  if (!missing) return null
  return (
    <p className={styles.notice} role="note">
      <b>{missing.title}.</b> {missing.todo}
    </p>
  )
}
