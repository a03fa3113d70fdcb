// A TCP proxy on loopback in front of a server. What it does to a connection is a way to join its two sockets.

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface TcpProxy {
  readonly port: number
  /** The same URL, through the proxy. */
  way(url: string): string
  /** Drops every connection without a message to either side. */
  cut(): void
  close(): Promise<void>
}

interface TcpProxyOptions {
  /** The port of the server; without one, connections are refused. */
  readonly target: () => number | undefined
  readonly send?: (client: Socket, upstream: Socket) => void
  readonly answer?: (upstream: Socket, client: Socket) => void
}

const pass = (from: Socket, to: Socket): unknown => from.pipe(to)

export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const { target, send = pass, answer = pass } = options
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const port = target()
    if (port === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(port, "127.0.0.1")
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => sockets.delete(socket))
    }
    send(client, upstream)
    answer(upstream, client)
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    way: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    cut,
    close: async () => {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
