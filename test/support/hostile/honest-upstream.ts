// The honest node behind a hostile one: a chain in this process, or any node by its URL.

import { Agent, request } from "undici"
import { RpcAnswerer } from "../../chain/rpc-answerer.js"
import type { Chain } from "../../chain/synthetic-chain.js"
import type { RpcAnswer, RpcCall } from "./rpc-shapes.js"

export interface Upstream {
  answer(text: string): Promise<Buffer>
  readonly ask: (method: string, params: readonly unknown[]) => Promise<unknown>
  /** Absent: no node on another branch is known. */
  readonly askFork: ((below: number, calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>) | undefined
  close(): Promise<void>
}

const asText = (calls: readonly RpcCall[]) =>
  JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })))

const askWith = (answer: Upstream["answer"]): Upstream["ask"] => {
  return async (method, params) => {
    const [reply] = JSON.parse((await answer(asText([{ method, params }]))).toString()) as RpcAnswer[]
    return reply?.result ?? null
  }
}

/** The chain's last block is the head. */
export function chainUpstream(chain: Chain): Upstream {
  const answererOf = (served: Chain) => {
    const head = served.options.blocks
    return new RpcAnswerer(() => ({ chain: served, head, finalized: head }))
  }
  const honest = answererOf(chain)
  const answer = async (text: string) => Buffer.concat(honest.answer(text))
  return {
    answer,
    ask: askWith(answer),
    askFork: async (below, calls) => {
      const fork = chain.fork({ at: Math.max(1, below - 1), seed: chain.options.seed + 1_000_003 })
      return JSON.parse(Buffer.concat(answererOf(fork).answer(asText(calls))).toString()) as RpcAnswer[]
    },
    close: async () => undefined,
  }
}

export function urlUpstream(url: string, forkUrl?: string): Upstream {
  const agent = new Agent()
  const post = async (to: string, body: string) => {
    const headers = { "content-type": "application/json" }
    const reply = await request(to, { method: "POST", body, headers, dispatcher: agent })
    return Buffer.from(await reply.body.arrayBuffer())
  }
  const answer = (text: string) => post(url, text)
  return {
    answer,
    ask: askWith(answer),
    // The branch of a given node parts where it parts.
    askFork:
      forkUrl === undefined
        ? undefined
        : async (_below, calls) => JSON.parse((await post(forkUrl, asText(calls))).toString()) as RpcAnswer[],
    close: () => agent.close(),
  }
}
