// Calls of the API's clients to a chain's node, within the limits of the process. The node is checked against the store's
// chain before the first of them.

import type { RuntimeDeps } from "../platform/service.js"
import type { NodeCalls } from "../queries/node-calls.js"
import type { ServedChain } from "../queries/served-chain.js"
import { familyOf } from "./family-of.js"
import type { ServedNodes } from "./serve-messages.js"

/** Undefined without a node. */
export function passedCalls(
  deps: RuntimeDeps,
  { chain, nodes }: { readonly chain: ServedChain; readonly nodes: ServedNodes },
): NodeCalls | undefined {
  if (nodes.rpcUrls.length === 0) return undefined
  let opened: Promise<NodeCalls> | undefined
  const open = async (): Promise<NodeCalls> => {
    const chainId = await chain.chainId()
    return familyOf(chain).createNodeCalls(deps, { chain: nodes, chainId, limits: nodes.limits })
  }
  return {
    call: async (...call) => {
      opened ??= open()
      // The database was away: the next call tries again.
      opened.catch(() => {
        opened = undefined
      })
      return (await opened).call(...call)
    },
    close: async () => (await opened)?.close(),
  }
}
