// Calls at one block. Two control calls come first, which every node that has this block and its state answers. They
// tell a contract that reverts from a node that is on another branch or has pruned the state: the errors of the
// calls look alike.

import type { Hex } from "../../../../domain/linked-block.js"
import { IndexerError } from "../../../../platform/errors.js"
import { quantityText } from "../../source/hex-text.js"
import type { RpcAnswer, RpcCall } from "../../source/json-rpc-reply.js"

/** What an observer needs of a node. The EVM source implements it, with failover and limits. */
export interface ContractNode {
  /** Answers in the order of the calls. Throws an IndexerError when the request as a whole fails. */
  call(calls: readonly RpcCall[], options: { readonly signal: AbortSignal }): Promise<readonly RpcAnswer[]>
}

/** The block an observation is of. */
export interface ObservedBlock {
  readonly height: number
  readonly hash: Hex
}

export interface AskAtBlock {
  readonly block: ObservedBlock
  /** Needs the block's state, and any node that has it answers. */
  readonly control: RpcCall
  readonly calls: readonly RpcCall[]
  readonly signal: AbortSignal
}

/** Returns its input, on every EVM chain. */
export const identityContract: Hex = `0x${"0".repeat(39)}4`

export const bytea = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")

/** Null for an error and for a value that is not hex. */
export function bytesOf({ value, error }: RpcAnswer): Uint8Array | null {
  if (error !== null || typeof value !== "string" || !value.startsWith("0x")) return null
  const bytes = Buffer.from(value.slice(2), "hex")
  // The decoder stops silently at the first character that is not a hex digit.
  return bytes.length * 2 === value.length - 2 ? bytes : null
}

/** In the order of the calls. RPC_BLOCK_MISSING where the node cannot know. */
export async function askAtBlock(
  node: ContractNode,
  { block, control, calls, signal }: AskAtBlock,
): Promise<readonly RpcAnswer[]> {
  const { height, hash } = block
  const header = { method: "eth_getBlockByNumber", params: [quantityText(height), false] }
  const [headed, controlled, ...answers] = await node.call([header, control, ...calls], { signal })
  const found = (headed?.value as { hash?: unknown } | null | undefined)?.hash
  if (typeof found !== "string" || found.toLowerCase() !== hash.toLowerCase())
    throw new IndexerError("RPC_BLOCK_MISSING", `the node's block ${height} is not ${hash}`)
  if (controlled?.error !== null || answers.length !== calls.length)
    throw new IndexerError("RPC_BLOCK_MISSING", `the node has no state at block ${height}`)
  return answers
}
