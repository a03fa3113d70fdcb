// A TCP proxy on loopback that keeps the end of a server's greeting until the server has hung up, and then passes on both at once: a
// connection is made and lost in the very same bytes, as on a machine that is too busy to read them apart.

import { type AddressInfo, connect, createServer } from "node:net"

export interface HoldingProxy {
  readonly url: string
  /** Resolves when a server is ready for statements, and its client does not know. */
  readonly held: Promise<void>
  close(): Promise<void>
}

/** ReadyForQuery, outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

export async function startHoldingProxy(databaseUrl: string): Promise<HoldingProxy> {
  const target = new URL(databaseUrl)
  let isHeld: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const kept: Buffer[] = []
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy())
    client.pipe(upstream)
    upstream.on("data", (chunk: Buffer) => {
      if (kept.length === 0 && !chunk.includes(ready)) {
        client.write(chunk)
        return
      }
      kept.push(chunk)
      isHeld()
    })
    upstream.on("end", () => client.end(Buffer.concat(kept)))
    client.on("close", () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    held,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
