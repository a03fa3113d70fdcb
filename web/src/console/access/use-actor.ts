// As whom one may act on a chain by way of this process, or what is missing.

import { useQuery } from "@tanstack/react-query"
import { TidemarkError } from "tidemark/client"
import { readJson } from "../../data/read-json"
import { adminFetch } from "./admin-fetch"
import { useAdminToken } from "./use-admin-token"

/**
 * `asking`: not known yet. `none`: this process has no admin routes. `token`: there is no token in this tab. `refused`: the
 * token is not the one. `elsewhere`: this process cannot write to the chain.
 */
export type ActorState = "asking" | "none" | "token" | "refused" | "elsewhere" | "ready"

interface Actor {
  readonly state: ActorState
  /** As the audit log has it. */
  readonly actor: string | undefined
}

interface Who {
  readonly actor: string
  readonly chains: readonly string[]
}

/** Where pages are served apart from the API, the root says nothing: then the token is asked for. */
const unknownRoutes = ["/admin"]
const kept = { staleTime: 60_000 }

export function useActor(chain: string): Actor {
  const [token] = useAdminToken()
  // Without a token the list of routes is asked: it is no refusal.
  const { data: root, error: noRoot } = useQuery({
    queryKey: ["admin", "routes"],
    queryFn: ({ signal }) => readJson<{ readonly routes: readonly string[] }>("/", signal),
    ...{ retry: false, ...kept },
  })
  const { data: who, error } = useQuery({
    queryKey: ["admin", "who", token],
    queryFn: ({ signal }) => adminFetch<Who>("/admin", { signal }),
    enabled: token !== undefined,
    ...kept,
  })
  return {
    state: stateOf({ chain, token, routes: noRoot ? unknownRoutes : root?.routes, who, error }),
    actor: who?.actor,
  }
}

interface Known {
  readonly chain: string
  readonly token: string | undefined
  readonly routes: readonly string[] | undefined
  readonly who: Who | undefined
  readonly error: Error | null
}

function stateOf({ chain, token, routes, who, error }: Known): ActorState {
  if (routes && !routes.includes("/admin")) return "none"
  if (token === undefined) return routes ? "token" : "asking"
  if (error instanceof TidemarkError && error.status === 401) return "refused"
  if (!who) return "asking"
  return who.chains.includes(chain) ? "ready" : "elsewhere"
}
