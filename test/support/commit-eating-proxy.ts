// A TCP proxy before Postgres that reads what the server says, and now and then drops a connection instead of passing on that a
// commit is done: the client never learns what became of its transaction. Reads just enough of the protocol: messages of the server
// are a type, a length and a body.

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface CommitEatingProxy {
  /** The same database, through the proxy. */
  way(url: string): string
  /** Whether to eat this one; asked at each commit, with the kind of transaction it ends. */
  eats: (kind: CommitKind) => boolean
  readonly eaten: Readonly<Record<CommitKind, number>>
  close(): Promise<void>
}

/** By what the client has sent in the transaction. */
type CommitKind = "ingest" | "derive" | "claim" | "other"

const commandComplete = "C".charCodeAt(0)
const committed = Buffer.from("COMMIT\0")

const kindOf: readonly (readonly [CommitKind, string])[] = [
  ["ingest", 'update "raw"."coverage"'],
  ["derive", 'update "app"."coverage"'],
  ["claim", "lease_ttl_ms"],
]

export async function startCommitEatingProxy(target: { port: number }): Promise<CommitEatingProxy> {
  const sockets = new Set<Socket>()
  const eaten: Record<CommitKind, number> = { ingest: 0, derive: 0, claim: 0, other: 0 }
  const server = createServer((client) => {
    const upstream = connect(target.port, "127.0.0.1")
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => sockets.delete(socket))
    }
    let kind: CommitKind = "other"
    client.on("data", (chunk: Buffer) => {
      // Statements are small beside rows, so a piece of rows is not searched.
      if (chunk.length < 16_384) kind = kindOf.find(([, text]) => chunk.includes(text))?.[0] ?? kind
      upstream.write(chunk)
    })
    client.on("end", () => upstream.end())
    client.on("close", () => upstream.destroy())
    let rest: Buffer = Buffer.alloc(0)
    upstream.on("data", (chunk: Buffer) => {
      const { done, left } = commitIn(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]))
      rest = left
      if (done && proxy.eats(kind)) {
        eaten[kind]++
        client.destroy()
        upstream.destroy()
        return
      }
      if (done) kind = "other"
      client.write(chunk)
    })
    upstream.on("end", () => client.end())
    upstream.on("close", () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const proxy: CommitEatingProxy = {
    way: (url) => {
      const through = new URL(url)
      through.port = String((server.address() as AddressInfo).port)
      return through.href
    },
    eats: () => false,
    eaten,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return proxy
}

/** Whether a whole message in it says that a commit is done; and the bytes of a message that is not whole yet. */
function commitIn(bytes: Buffer): { done: boolean; left: Buffer } {
  let done = false
  let at = 0
  while (at + 5 <= bytes.length) {
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    if (end > bytes.length) break
    done ||= bytes[at] === commandComplete && bytes.subarray(at + 5, end).equals(committed)
    at = end
  }
  return { done, left: bytes.subarray(at) }
}
