// Who wants newHeads, and telling them.

import { headerOf } from "./json-spans.js"
import type { Chain } from "./synthetic-chain.js"
import type { WebSocketPeer } from "./websocket-peer.js"

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: readonly unknown[]
}

export class HeadSubscriptions {
  readonly #subscribers = new Map<string, WebSocketPeer>()
  #issued = 0

  /** Answers eth_subscribe and eth_unsubscribe; undefined: the call is another's to answer. */
  answer(call: Call, peer: WebSocketPeer): Buffer | undefined {
    if (call.method === "eth_subscribe") {
      if (call.params?.[0] !== "newHeads") {
        return reply(call.id, { error: { code: -32602, message: "only newHeads can be subscribed to" } })
      }
      const subscription = `0x${(++this.#issued).toString(16)}`
      this.#subscribers.set(subscription, peer)
      peer.onClose(() => this.#subscribers.delete(subscription))
      return reply(call.id, { result: subscription })
    }
    if (call.method === "eth_unsubscribe") {
      return reply(call.id, { result: this.#subscribers.delete(String(call.params?.[0])) })
    }
    return undefined
  }

  /** Every block in [from, to), in order: after a reorganisation nodes announce the whole new branch. */
  announce(chain: Chain, from: number, to: number): void {
    if (this.#subscribers.size === 0) return
    for (let height = from; height < to; height++) {
      const header = headerOf(chain.block(height, "hashes"))
      for (const [subscription, peer] of this.#subscribers) {
        const opening = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":`
        peer.send(Buffer.concat([Buffer.from(opening), header, Buffer.from("}}")]))
      }
    }
  }
}

const reply = (id: unknown, outcome: object): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, ...outcome }))
