// Which answers an event makes old. At most one round of requests each second, however fast blocks arrive. Lists that are read
// stay as they are: they say themselves what is new and what was rolled back.

import type { Query, QueryClient } from "@tanstack/react-query"
import type { StreamEvent } from "tidemark/client"

const everyMs = 1_000

interface Refresh {
  readonly chain: string
  readonly queries: QueryClient
  readonly signal: AbortSignal
}

export function startRefresh({ chain, queries, signal }: Refresh): (event: StreamEvent) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wanted: "live" | "unread" | "all" = "live"
  const isOf = ({ queryKey: [kind, name] }: Query): boolean =>
    kind === "status" || kind === "chains" || (kind === "chain" && name === chain)
  /** Small, in fixed places, or without an answer so far: those may change under the eye. */
  const isLive = (query: Query): boolean =>
    ["status", "chains"].includes(query.queryKey[0] as string) ||
    query.queryKey[2] === "/coverage" ||
    query.state.status === "error" ||
    query.meta?.["live"] === true
  /** On the screen, and marked there where it was rolled back: it would move while it is read. */
  const isRead = (query: Query): boolean =>
    query.meta?.["kept"] === true && query.isActive() && query.state.data !== undefined
  const run = (): void => {
    timer = undefined
    const asked = wanted
    wanted = "live"
    void queries.invalidateQueries({
      predicate: (query) =>
        isOf(query) && (asked === "all" || isLive(query) || (asked === "unread" && !isRead(query))),
    })
  }
  signal.addEventListener("abort", () => clearTimeout(timer))
  return (event) => {
    if (event.type === "reset") wanted = "all"
    if (event.type === "rollback") {
      if (wanted === "live") wanted = "unread"
      // What is under way may be an answer from before it.
      void queries.refetchQueries({
        predicate: (query) => isOf(query) && query.meta?.["kept"] === true && query.state.fetchStatus === "fetching",
      })
    }
    timer ??= setTimeout(run, everyMs)
  }
}
