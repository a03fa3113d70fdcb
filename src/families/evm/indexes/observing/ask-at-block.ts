// Calls that are all of one block. They go after two questions that any node with this block and its state answers: these tell a
// contract that reverts from a node that is elsewhere, or has forgotten the state. In the errors of the calls the two look alike.

import type { Hex } from "../../../../domain/linked-block.js"
import { IndexerError } from "../../../../platform/errors.js"
import type { ContractNode, NodeAnswer, NodeCall } from "./contract-node.js"

/** The block an observation is of. */
export interface ObservedBlock {
  readonly height: number
  readonly hash: Hex
}

export interface AskAtBlock {
  readonly block: ObservedBlock
  /** Needs the block's state, and any node that has it answers. */
  readonly control: NodeCall
  readonly calls: readonly NodeCall[]
  readonly signal: AbortSignal
}

/** Gives back what it is given, on every EVM chain. */
export const identityContract: Hex = `0x${"0".repeat(39)}4`

export const quantity = (value: number): Hex => `0x${value.toString(16)}`

/** In the order of the calls. RPC_BLOCK_MISSING where the node cannot know. */
export async function askAtBlock(
  node: ContractNode,
  { block, control, calls, signal }: AskAtBlock,
): Promise<readonly NodeAnswer[]> {
  const { height, hash } = block
  const header = { method: "eth_getBlockByNumber", params: [quantity(height), false] }
  const [headed, controlled, ...answers] = await node.call([header, control, ...calls], { signal })
  const found = (headed?.value as { hash?: unknown } | null | undefined)?.hash
  if (typeof found !== "string" || found.toLowerCase() !== hash.toLowerCase())
    throw new IndexerError("RPC_BLOCK_MISSING", `the node's block ${height} is not ${hash}`)
  if (controlled?.error !== null || answers.length !== calls.length)
    throw new IndexerError("RPC_BLOCK_MISSING", `the node has no state at block ${height}`)
  return answers
}
