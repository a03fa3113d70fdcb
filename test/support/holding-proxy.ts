// A proxy that keeps the end of a server's greeting until the server has closed the connection, and then passes both on
// at once: the client reads both together, as it does on a busy machine.

import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

export interface HoldingProxy extends TcpProxy {
  /** Resolves when a server is ready for statements and its client does not know it. */
  readonly held: Promise<void>
}

/** ReadyForQuery, outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

export async function startHoldingProxy(port: number): Promise<HoldingProxy> {
  let isHeld: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const proxy = await startTcpProxy({
    target: () => port,
    answer: (upstream, client) => {
      const kept: Buffer[] = []
      upstream.on("data", (chunk: Buffer) => {
        if (kept.length === 0 && !chunk.includes(ready)) {
          client.write(chunk)
          return
        }
        kept.push(chunk)
        isHeld()
      })
      upstream.on("end", () => client.end(Buffer.concat(kept)))
    },
  })
  return { ...proxy, held }
}
