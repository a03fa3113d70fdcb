// A synthetic chain as values instead of bytes, for tests that change single fields of what a node says.

import type { ChainOptions } from "./chain-options.js"
import { RpcAnswerer } from "./rpc-answerer.js"
import { type Chain, createChain } from "./synthetic-chain.js"

type Fields = Record<string, unknown>

export interface BlockAnswers {
  readonly block: Fields & { hash: string; parentHash: string; transactions: Fields[] }
  readonly receipts: (Fields & { logs: Fields[] })[]
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

export class ChainAnswers {
  readonly #chain: Chain

  constructor(options: ChainOptions) {
    this.#chain = createChain({ blocks: 1_000, holders: 100, ...options })
  }

  hash(height: number): string {
    return this.#chain.hashAt(height)
  }

  block(height: number): BlockAnswers {
    const parsed = (form: "full" | "receipts") => JSON.parse(this.#chain.block(height, form).toString())
    return { block: parsed("full"), receipts: parsed("receipts") }
  }

  /** What a node on this chain, with this head, answers to a call; its error is thrown. */
  answer(call: Call, head: number): unknown {
    const answerer = new RpcAnswerer(() => ({
      ...{ chain: this.#chain, head, finalized: Math.max(0, head - 64) },
    }))
    const { error, result } = JSON.parse(Buffer.concat(answerer.answer(JSON.stringify(call))).toString())
    if (error) throw error
    return result
  }
}
