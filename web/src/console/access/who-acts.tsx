// As whom one acts, while there is a token, and the way to forget it.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { useActor } from "./use-actor"
import { useAdminToken } from "./use-admin-token"
import styles from "./who-acts.module.css"

export function WhoActs(): ReactNode {
  const [token, setToken] = useAdminToken()
  const { state, actor } = useActor(useChain())
  if (token === undefined) return null
  return (
    <span className={styles.who}>
      <span>{state === "refused" ? "the token is refused" : (actor ?? " ")}</span>
      <button type="button" onClick={() => setToken(undefined)}>
        Forget token
      </button>
    </span>
  )
}
