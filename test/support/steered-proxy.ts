// A TCP proxy on loopback whose target changes, and which can hold back what the target says: the one address under which clients know
// a server that fails over, and the line between a server and its standby.

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface SteeredProxy {
  readonly port: number
  /** Drops all connections; later ones lead to this port, or nowhere. */
  lead(port: number | undefined): void
  /** From now on nothing that the target says arrives, and nobody is told. */
  stall(): void
  close(): Promise<void>
}

export async function startSteeredProxy(): Promise<SteeredProxy> {
  let target: number | undefined
  let isStalled = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(target, "127.0.0.1")
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => sockets.delete(socket))
    }
    client.pipe(upstream)
    upstream.on("data", (chunk: Buffer) => {
      if (isStalled) upstream.pause()
      else client.write(chunk)
    })
    upstream.on("end", () => client.end())
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    lead: (port) => {
      target = port
      isStalled = false
      drop()
    },
    stall: () => {
      isStalled = true
    },
    close: async () => {
      drop()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
