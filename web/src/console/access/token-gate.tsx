// Asks for the admin token, where what operators see is not public.

import { type FormEvent, type ReactNode, useState } from "react"
import { Notice } from "../../parts/notice"
import styles from "./token-gate.module.css"
import { useAdminToken } from "./use-admin-token"

export function TokenGate({ hasRoutes }: { readonly hasRoutes: boolean }): ReactNode {
  const [token, setToken] = useAdminToken()
  const [typed, setTyped] = useState("")
  if (!hasRoutes) {
    return (
      <Notice title="This process shows nothing to operators" tone="partial">
        <p>
          It runs with <code>OPS=token</code> and without <code>ADMIN_TOKEN</code>. Set a token, or ask a process that
          has one.
        </p>
      </Notice>
    )
  }
  const keep = (event: FormEvent): void => {
    event.preventDefault()
    if (typed.trim() !== "") setToken(typed.trim())
  }
  return (
    <Notice title={token === undefined ? "The admin token is needed" : "This is not the admin token"} tone="partial">
      <p>
        What operators see needs the token of <code>ADMIN_TOKEN</code>. It stays in this tab and is forgotten when the
        tab is closed.
      </p>
      <form className={styles.form} onSubmit={keep}>
        <label>
          <span className="hidden">Admin token</span>
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder="Admin token"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <button type="submit">Show</button>
      </form>
    </Notice>
  )
}
