// A proxy in front of a server that vanishes without closing its sockets: from then on it accepts connections and swallows
// whatever is sent, in both directions. Later it leads elsewhere; the connections of before stay open and silent.

import type { Socket } from "node:net"
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

export interface SilentProxy extends TcpProxy {
  fallSilent(): void
  /** New connections lead to this port and are served. */
  leadTo(port: number): void
}

export async function startSilentProxy(port: number): Promise<SilentProxy> {
  let [target, isSilent] = [port, false]
  const silenced = new WeakSet<Socket>()
  const open = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    if (isSilent) silenced.add(from)
    open.add(from)
    from.on("close", () => open.delete(from))
    from.on("data", (chunk: Buffer) => {
      if (!silenced.has(from)) to.write(chunk)
    })
    from.on("end", () => {
      if (!silenced.has(from)) to.end()
    })
  }
  const proxy = await startTcpProxy({ target: () => target, send: pass, answer: pass })
  return {
    ...proxy,
    fallSilent: () => {
      isSilent = true
      for (const socket of open) silenced.add(socket)
    },
    leadTo: (next) => {
      isSilent = false
      target = next
    },
  }
}
