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

export const bytea = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")

/** Null for an error, and for what is no hex. */
export function bytesOf({ value, error }: NodeAnswer): Uint8Array | null {
  if (error !== null || typeof value !== "string" || !value.startsWith("0x")) return null
  const bytes = Buffer.from(value.slice(2), "hex")
  // The decoder stops at the first character that is no digit, without a word.
  return bytes.length * 2 === value.length - 2 ? bytes : null
}

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
