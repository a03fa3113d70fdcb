// Calls of clients that are passed to the node. They have a source of their own: what clients ask must not open the circuit
// breaker of the blocks.

import type { RuntimeDeps } from "../../../platform/service.js"
import type { NodeCalls } from "../../../queries/node-calls.js"
import type { SourceOptions } from "../../chain-family.js"
import { createChainSource } from "../source/evm-source.js"

/** Bounds the cost of a call, whatever it answers. */
const passedLimits = { rpcTimeoutMs: 10_000, rpcMaxResponseBytes: 1 << 20 }

export function createNodeCalls(deps: RuntimeDeps, { chain, ...options }: SourceOptions): NodeCalls {
  const source = createChainSource(deps, { ...options, chain: { ...chain, ...passedLimits } })
  return {
    call: async (method, params, signal) => {
      const [answer] = await source.call([{ method, params: [...params] }], { signal })
      const { error, value } = answer!
      if (!error) return { value }
      const { code, message, data } = error
      return { refusal: { code: code ?? -32_000, message, data } }
    },
    close: () => source.close(),
  }
}
