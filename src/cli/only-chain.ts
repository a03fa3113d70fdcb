// For a command that acts on one chain: the only one there is, or USAGE.

import type { FoundChain } from "./find-chains.js"
import { usage } from "./parse-flags.js"

export function onlyChain(chains: readonly FoundChain[], command: string): FoundChain {
  const [chain, ...others] = chains
  if (chain && others.length === 0) return chain
  throw usage(
    `there are several chains here (${chains.map(({ name }) => name).join(", ")}): choose one with --chain`,
    command,
  )
}
