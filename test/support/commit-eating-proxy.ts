// A proxy in front of Postgres that drops a connection instead of passing on that a commit is done: the client never learns
// the outcome. It reads just enough of the protocol: a server's message is a type, a length and a body.

import type { Socket } from "node:net"
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

export interface CommitEatingProxy extends TcpProxy {
  /** Whether to eat this commit, by the kind of transaction it ends. */
  eats: (kind: CommitKind) => boolean
  readonly eaten: Readonly<Record<CommitKind, number>>
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
  const eaten: Record<CommitKind, number> = { ingest: 0, derive: 0, claim: 0, other: 0 }
  const kinds = new WeakMap<Socket, CommitKind>()
  const proxy: CommitEatingProxy = {
    ...(await startTcpProxy({
      target: () => target.port,
      send: (client, upstream) => {
        client.on("data", (chunk: Buffer) => {
          // Statements are small beside rows, so a chunk of rows is not searched.
          const kind = chunk.length < 16_384 && kindOf.find(([, text]) => chunk.includes(text))?.[0]
          if (kind) kinds.set(upstream, kind)
          upstream.write(chunk)
        })
        client.on("end", () => upstream.end())
      },
      answer: (upstream, client) => {
        let rest: Buffer = Buffer.alloc(0)
        upstream.on("data", (chunk: Buffer) => {
          const { done, left } = commitIn(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]))
          rest = left
          const kind = kinds.get(upstream) ?? "other"
          if (done && proxy.eats(kind)) {
            eaten[kind]++
            client.destroy()
            return
          }
          if (done) kinds.delete(upstream)
          client.write(chunk)
        })
        upstream.on("end", () => client.end())
      },
    })),
    eats: () => false,
    eaten,
  }
  return proxy
}

/** Whether a complete message reports a commit, and the bytes of an incomplete message. */
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
