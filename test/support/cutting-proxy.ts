// A TCP proxy before a real server that drops its connections when told, without a word to either side.

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

interface Cut {
  readonly first: string
  readonly text: string
  readonly moment: "before" | "after"
}

export interface CuttingProxy {
  readonly url: string
  cut(): void
  /**
   * Cuts a connection once, when the client sends `text` at some time after `first`: before the server has it, or after, its
   * answer lost.
   */
  cutAt(plan: Cut): void
  close(): Promise<void>
}

/** Passes bytes to the server of a URL until it is told to drop every connection on the floor. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const url = new URL(target)
  const sockets = new Set<Socket>()
  let planned: Cut | undefined
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
    }
    let isNear = false
    client.on("data", (chunk) => {
      isNear ||= planned !== undefined && chunk.includes(planned.first)
      if (!planned || !isNear || !chunk.includes(planned.text)) {
        upstream.write(chunk)
        return
      }
      const { moment } = planned
      planned = undefined
      client.destroy()
      if (moment === "before") upstream.destroy()
      // The server reads what it was sent before it sees the end.
      else upstream.end(chunk)
    })
    client.on("end", () => upstream.end())
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const proxied = new URL(target)
  proxied.port = String((server.address() as AddressInfo).port)
  return {
    url: proxied.href,
    cut: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    cutAt: (plan) => {
      planned = plan
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
