// Which answers an event makes old. At most one round of requests each second, however fast blocks arrive.

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
  let everything = false
  const isOf = ({ queryKey: [kind, name] }: Query): boolean =>
    kind === "status" || kind === "chains" || (kind === "chain" && name === chain)
  /** Small, in fixed places, or without an answer so far: those may change under the eye. */
  const isLive = (query: Query): boolean =>
    ["status", "chains"].includes(query.queryKey[0] as string) ||
    query.queryKey[2] === "/coverage" ||
    query.state.status === "error" ||
    query.meta?.["live"] === true
  const run = (): void => {
    timer = undefined
    const all = everything
    everything = false
    void queries.invalidateQueries({ predicate: (query) => isOf(query) && (all || isLive(query)) })
  }
  signal.addEventListener("abort", () => clearTimeout(timer))
  return (event) => {
    everything ||= event.type === "rollback" || event.type === "reset"
    timer ??= setTimeout(run, everyMs)
  }
}
