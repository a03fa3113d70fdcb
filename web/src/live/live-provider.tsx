// Follows the chain's stream, and has the answers that an event may have changed asked for again. Lists are left alone: they
// offer what is new themselves, so that nothing moves while it is read.

import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import type { StreamEvent } from "tidemark/client"
import { followSharedStream } from "./follow-shared-stream"
import { LiveContext } from "./live-context"
import { nextLiveState, nothingYet } from "./live-state"
import { usePause } from "./pause-context"
import { startRefresh } from "./start-refresh"

export function LiveProvider({
  chain,
  children,
}: {
  readonly chain: string
  readonly children: ReactNode
}): ReactNode {
  const queries = useQueryClient()
  const [state, setState] = useState(nothingYet)
  const { isPaused } = usePause()
  useEffect(() => {
    if (isPaused) return
    const stopping = new AbortController()
    const refresh = startRefresh({ chain, queries, signal: stopping.signal })
    const onEvent = (event: StreamEvent): void => {
      setState((before) => nextLiveState(before, event, Date.now()))
      refresh(event)
    }
    // What ends it is a refusal, such as too many streams: the pages work without, they only stand still.
    followSharedStream({ chain, signal: stopping.signal, onEvent }).catch(() => undefined)
    return () => {
      stopping.abort()
    }
  }, [chain, queries, isPaused])
  return <LiveContext value={state}>{children}</LiveContext>
}
