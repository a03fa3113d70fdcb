// A TCP proxy before a real server that drops its connections when told, without a word to either side.

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface CuttingProxy {
  readonly url: string
  cut(): void
  close(): Promise<void>
}

/** Passes bytes to the server of a URL until it is told to drop every connection on the floor. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const url = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
    }
    client.pipe(upstream).pipe(client)
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
