// The stream of a chain, once for all tabs: a browser holds six connections per origin. The tab that has the lock reads it and
// passes every event on; when it closes, the next tab takes over behind the last event.

import type { StreamEvent } from "tidemark/client"
import { clientOf } from "../data/api-query"

interface Follow {
  readonly chain: string
  readonly signal: AbortSignal
  readonly onEvent: (event: StreamEvent) => void
}

export async function followSharedStream({ chain, signal, onEvent }: Follow): Promise<void> {
  const name = `tidemark-stream-${chain}`
  const channel = new BroadcastChannel(name)
  let lastEventId: string | undefined
  const take = (event: StreamEvent): void => {
    lastEventId = event.id
    onEvent(event)
  }
  channel.onmessage = ({ data }) => take(data as StreamEvent)
  signal.addEventListener("abort", () => channel.close())
  const read = async (): Promise<void> => {
    for await (const event of clientOf(chain).stream({ lastEventId, signal })) {
      take(event)
      if (!signal.aborted) channel.postMessage(event)
    }
  }
  try {
    // There are no locks on plain HTTP away from this machine: then each tab reads for itself.
    if (navigator.locks) await navigator.locks.request(name, { signal }, read)
    else await read()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
