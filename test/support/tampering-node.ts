// A node that answers for whatever chain a test gives it at the moment, and lets the test change single answers: for lies
// that are told about one block, always, or from a certain time on.

import { createServer } from "node:http"
import { RpcAnswerer } from "../chain/rpc-answerer.js"
import type { Chain } from "../chain/synthetic-chain.js"
import type { RpcAnswer, RpcCall } from "./hostile/rpc-shapes.js"
import { type Listening, listen } from "./listen.js"

interface NodeView {
  readonly chain: Chain
  readonly head: number
  readonly finalized?: number
}

export interface TamperingNode extends Listening {
  /** Called for each request: what it answers for. Undefined: the connection is dropped. */
  view: () => NodeView | undefined
  /** The result to give instead of the true one, or undefined for the true one. */
  tamper: (call: RpcCall, result: unknown) => unknown
}

const untampered: TamperingNode["tamper"] = () => undefined

export async function startTamperingNode(view: TamperingNode["view"]): Promise<TamperingNode> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const now = node.view()
    if (now === undefined) {
      request.socket.destroy()
      return
    }
    const answerer = new RpcAnswerer(() => ({ ...now, finalized: now.finalized ?? now.head }))
    response.writeHead(200, { "content-type": "application/json" })
    if (node.tamper === untampered) {
      response.end(Buffer.concat(answerer.answer(text)))
      return
    }
    const asked = JSON.parse(text) as RpcCall | RpcCall[]
    const calls = new Map((Array.isArray(asked) ? asked : [asked]).map((call) => [call.id, call]))
    const honest = JSON.parse(Buffer.concat(answerer.answer(text)).toString()) as RpcAnswer | RpcAnswer[]
    for (const answer of Array.isArray(honest) ? honest : [honest]) {
      const call = calls.get(answer.id)
      const lie = call && node.tamper(call, answer.result)
      if (lie === undefined) continue
      delete answer.error
      answer.result = lie
    }
    response.end(JSON.stringify(honest))
  })
  // Longer than any test: a connection that ends just as a slow client uses it again would look like a fault.
  server.keepAliveTimeout = 3_600_000
  const node: TamperingNode = { ...(await listen(server)), view, tamper: untampered }
  return node
}
