// What an EVM source yields and the raw store keeps: one verified block with everything in it, in the shape of the
// raw tables. Bytes and large quantities stay the hex text the node sent ("0x…", lower case), so that no number is
// rounded and the COPY encoder turns each into bytes exactly once.

import type { Hex, LinkedBlock } from "../../../domain/linked-block.js"

export interface EvmBlock extends LinkedBlock {
  readonly transactions: readonly EvmTransaction[]
  /** In chain order: by transaction, then by index. */
  readonly events: readonly EvmEvent[]
  readonly miner: Hex | null
  readonly gasLimit: Hex | null
  readonly gasUsed: Hex | null
  readonly baseFeePerGas: Hex | null
  readonly stateRoot: Hex | null
  readonly transactionsRoot: Hex | null
  readonly receiptsRoot: Hex | null
  /** JSON text of every other header field, or null when there is none. Kept as bytes: it may hold any text. */
  readonly extra: string | null
}

export interface EvmTransaction {
  readonly id: Hex
  readonly index: number
  readonly type: number | null
  /** 1 succeeded, 0 failed, null where the chain does not say (before Byzantium). */
  readonly status: number | null
  readonly from: Hex | null
  readonly to: Hex | null
  /** Quantities: hex text. */
  readonly nonce: Hex | null
  readonly value: Hex | null
  readonly gasLimit: Hex | null
  readonly gasUsed: Hex | null
  readonly cumulativeGasUsed: Hex | null
  readonly gasPrice: Hex | null
  readonly maxFeePerGas: Hex | null
  readonly maxPriorityFeePerGas: Hex | null
  readonly effectiveGasPrice: Hex | null
  readonly contractAddress: Hex | null
  readonly input: Hex | null
  /** r (32 bytes), s (32 bytes), then v in as few bytes as it takes; null for transactions without a signature. */
  readonly signature: Hex | null
  readonly eventCount: number
  /** JSON text `{"tx": {...}, "receipt": {...}}` of what the columns do not reproduce exactly, or null. */
  readonly extra: string | null
}

export interface EvmEvent {
  readonly transactionIndex: number
  /** The log's index in the block. */
  readonly index: number
  readonly transactionId: Hex
  readonly address: Hex | null
  readonly topics: readonly Hex[]
  readonly data: Hex | null
  /** JSON text of fields the columns do not reproduce, or null. */
  readonly extra: string | null
}
