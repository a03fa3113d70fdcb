// A proxy whose target changes and whose answers can be stalled: the address of a server that fails over, and the
// line between a server and its standby.

import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

export interface SteeredProxy extends TcpProxy {
  /** Drops all connections; later ones lead to this port, or nowhere. */
  lead(port: number | undefined): void
  /** From now on nothing that the target sends arrives, and its connections stay open. */
  stall(): void
}

export async function startSteeredProxy(): Promise<SteeredProxy> {
  let target: number | undefined
  let isStalled = false
  const proxy = await startTcpProxy({
    target: () => target,
    answer: (upstream, client) => {
      upstream.on("data", (chunk: Buffer) => {
        if (isStalled) upstream.pause()
        else client.write(chunk)
      })
      upstream.on("end", () => client.end())
    },
  })
  return {
    ...proxy,
    lead: (port) => {
      target = port
      isStalled = false
      proxy.cut()
    },
    stall: () => {
      isStalled = true
    },
  }
}
