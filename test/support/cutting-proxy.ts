// A proxy that drops a connection at a given statement.

import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

interface Cut {
  readonly first: string
  readonly text: string
  readonly moment: "before" | "after"
}

export interface CuttingProxy extends TcpProxy {
  readonly url: string
  /** Cuts once, when the client sends `text` after `first`: before the server has it, or after, its answer lost. */
  cutAt(plan: Cut): void
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  let planned: Cut | undefined
  const proxy = await startTcpProxy({
    target: () => Number(new URL(url).port),
    send: (client, upstream) => {
      let isNear = false
      client.on("data", (chunk) => {
        isNear ||= planned !== undefined && chunk.includes(planned.first)
        if (!planned || !isNear || !chunk.includes(planned.text)) {
          upstream.write(chunk)
          return
        }
        const { moment } = planned
        planned = undefined
        upstream.unpipe(client)
        if (moment === "before") client.destroy()
        // The server executes what it was sent before it sees the end; its answer is read and dropped.
        else upstream.resume().end(chunk)
      })
      client.on("end", () => upstream.end())
    },
  })
  return {
    ...proxy,
    url: proxy.way(url),
    cutAt: (plan) => {
      planned = plan
    },
  }
}
