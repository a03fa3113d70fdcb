// How long each new block takes from the node's announcement until a reader of the database sees it: stored, and derived by
// every worker. Seen from outside, over a socket and a connection of its own, so that nothing the product says of itself is
// taken for granted.

import { WebSocket } from "undici"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { Connection } from "../../src/postgres/connection.js"

export interface HeadDelay {
  readonly height: number
  readonly storedMs: number
  readonly derivedMs: number
}

export interface HeadsWatch {
  /** Blocks that are derived, in the order in which they were. */
  readonly delays: readonly HeadDelay[]
  /** Announced and not yet derived. */
  waiting(): number
  stop(): Promise<void>
}

interface Waiting {
  readonly height: number
  readonly at: number
  storedMs: number | undefined
}

/** A look costs the server a tenth of a millisecond, and only while a block is awaited. */
const lookEveryMs = 5

export async function watchHeads({ wsUrl, databaseUrl }: { wsUrl: string; databaseUrl: string }): Promise<HeadsWatch> {
  const connection = await Connection.open({ url: databaseUrl, applicationName: "tidemark bench watch" })
  const delays: HeadDelay[] = []
  let waiting: Waiting[] = []
  let stopped = false
  let announced: () => void = () => undefined
  const socket = new WebSocket(wsUrl)
  socket.addEventListener("open", () =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })),
  )
  socket.addEventListener("message", ({ data }) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { number: string } } }
    if (!params) return
    waiting.push({ height: Number(params.result.number), at: performance.now(), storedMs: undefined })
    announced()
  })
  const look = async (): Promise<void> => {
    const { rows } = await connection.query<{ height: string; stored: boolean; derived: boolean }>(
      `select height,
         (select heights @> height from raw.coverage where worker_type = $2) as stored,
         (select bool_and(heights @> height) from app.coverage) as derived
       from unnest($1::int8[]) as height`,
      [waiting.map(({ height }) => height), rawIngester],
      { name: "look" },
    )
    const now = performance.now()
    for (const { height, stored, derived } of rows) {
      const head = waiting.find((each) => each.height === Number(height))!
      if (stored) head.storedMs ??= now - head.at
      if (!derived) continue
      delays.push({ height: head.height, storedMs: head.storedMs ?? 0, derivedMs: now - head.at })
      waiting = waiting.filter((each) => each !== head)
    }
  }
  const running = (async () => {
    while (!stopped) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          announced = resolve
        })
        continue
      }
      await look()
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  })()
  return {
    delays,
    waiting: () => waiting.length,
    stop: async () => {
      stopped = true
      announced()
      socket.close()
      await running
      await connection.end()
    },
  }
}
