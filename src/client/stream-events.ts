// /v1/stream as an endless loop over its events. It reconnects by itself and resumes behind the last event, so that none is
// missing or repeated; what the server can no longer give is told as `reset`.

import { parseEvents } from "./parse-events.js"
import { queryText, type RequestOptions, sendRequest } from "./send-request.js"
import { TidemarkError } from "./tidemark-error.js"

interface Told {
  readonly epoch: number
  readonly created_at: string
}

/** What the server tells; docs/reference/http.md has the meaning of each. */
export interface StreamData {
  readonly block: Told & {
    readonly height: string
    readonly hash: string
    readonly timestamp: string
    readonly transaction_count: number
  }
  readonly watermark: Told & { readonly height: string | null; readonly raw_height: string | null }
  readonly rollback: Told & { readonly removed_from: string; readonly removed_to?: string }
  readonly status: Told & { readonly halted: boolean; readonly reason: string | null }
  readonly reset: {
    readonly code: "RESET"
    readonly reason: "PRUNED" | "UNKNOWN"
    readonly chain: string
    readonly oldest_id: string
  }
}

/** `id` resumes behind the event: `lastEventId`. */
export type StreamEvent = {
  [Type in keyof StreamData]: { readonly type: Type; readonly id: string; readonly data: StreamData[Type] }
}[keyof StreamData]

export interface StreamOptions {
  /** All chains that the server has, when it is null. By default the client's. */
  readonly chain?: string | null
  readonly lastEventId?: string | undefined
  /** Ends the loop. */
  readonly signal?: AbortSignal | undefined
  /** Before it connects again; 1 s. */
  readonly retryMs?: number
  /** Without a byte for this long it connects again; 45 s, three heartbeats. */
  readonly silentMs?: number
}

export async function* streamEvents(
  request: RequestOptions,
  { chain, lastEventId = "", signal, retryMs = 1_000, silentMs = 45_000 }: StreamOptions,
): AsyncGenerator<StreamEvent, void> {
  let id = lastEventId
  while (!signal?.aborted) {
    const silence = new AbortController()
    const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    try {
      const headers = { accept: "text/event-stream", ...(id === "" ? {} : { "last-event-id": id }) }
      const path = `/v1/stream${queryText({ chain: chain ?? undefined })}`
      const response = await sendRequest(request, path, { headers, signal: either })
      for await (const event of parseEvents(heard(response, silence, silentMs), id)) {
        id = event.id
        if (event.type === "close") break
        if (event.type !== "") yield { ...event, data: JSON.parse(event.data) } as StreamEvent
      }
    } catch (error) {
      if (!signal?.aborted && !isPassing(error, silence.signal)) throw error
    } finally {
      // Also when the consumer leaves the loop.
      silence.abort()
    }
    await pause(retryMs, signal)
  }
}

/** The bytes of the body; aborts when there are none for too long. */
async function* heard(response: Response, silence: AbortController, silentMs: number): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const timer = setTimeout(() => silence.abort(), silentMs)
      try {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      } finally {
        clearTimeout(timer)
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Worth another try: the connection broke, or the server is starting, busy or restarting. */
function isPassing(error: unknown, silence: AbortSignal): boolean {
  if (!(error instanceof TidemarkError)) return silence.aborted || error instanceof TypeError
  return error.status === 0 || error.status === 429 || error.status >= 500
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal?.aborted) done()
    else signal?.addEventListener("abort", done)
  })
}
