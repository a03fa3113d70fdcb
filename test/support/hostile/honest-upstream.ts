// The honest node behind a hostile one: a chain in this process, whose last block is the head.

import { RpcAnswerer } from "../../chain/rpc-answerer.js"
import type { Chain } from "../../chain/synthetic-chain.js"
import type { RpcAnswer, RpcCall } from "./rpc-shapes.js"

export class HonestUpstream {
  readonly #chain: Chain
  readonly #answerer: RpcAnswerer

  constructor(chain: Chain) {
    this.#chain = chain
    this.#answerer = answererOf(chain)
  }

  answer(text: string): Buffer {
    return Buffer.concat(this.#answerer.answer(text))
  }

  ask(call: RpcCall): unknown {
    return askAll(this.#answerer, [call])[0]?.result ?? null
  }

  /** Of a branch that parts below the given height. */
  askFork(below: number, calls: readonly RpcCall[]): RpcAnswer[] {
    const fork = this.#chain.fork({ at: Math.max(1, below - 1), seed: this.#chain.options.seed + 1_000_003 })
    return askAll(answererOf(fork), calls)
  }
}

function answererOf(chain: Chain): RpcAnswerer {
  const head = chain.options.blocks
  return new RpcAnswerer(() => ({ chain, head, finalized: head }))
}

function askAll(answerer: RpcAnswerer, calls: readonly RpcCall[]): RpcAnswer[] {
  const text = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })))
  return JSON.parse(Buffer.concat(answerer.answer(text)).toString()) as RpcAnswer[]
}
