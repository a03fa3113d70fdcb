// As whom one acts, while there is a token, and the way to forget it.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { adminFetch } from "./admin-fetch"
import { useAdminToken } from "./use-admin-token"
import styles from "./who-acts.module.css"

export function WhoActs(): ReactNode {
  const [token, setToken] = useAdminToken()
  const { data, error } = useQuery({
    queryKey: ["admin", "who", token],
    queryFn: ({ signal }) => adminFetch<{ readonly actor: string }>("/admin", { signal }),
    enabled: token !== undefined,
    staleTime: 60_000,
  })
  if (token === undefined) return null
  return (
    <span className={styles.who}>
      <span>{error ? "the token is refused" : (data?.actor ?? " ")}</span>
      <button type="button" onClick={() => setToken(undefined)}>
        Forget token
      </button>
    </span>
  )
}
