// What an extract sees of a block: the raw rows of one height, read-only, bytes as lower-case "0x…" text and
// quantities as bigint. Implementations decode a field when it is first asked for.

import type { Hex } from "../../../domain/linked-block.js"
import type { EncodedField } from "../../../workers/encoded-field.js"
import type { EvmEvent } from "./evm-block.js"

export interface BlockView {
  readonly height: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Microseconds since 1970. */
  readonly timestampUs: bigint
  readonly miner: Hex | null
  readonly gasLimit: bigint | null
  readonly gasUsed: bigint | null
  readonly baseFeePerGas: bigint | null
  /** JSON text of the header fields that have no column. */
  readonly extra: string | null
  /** In chain order. */
  readonly transactions: readonly TransactionView[]
  /** All events of the block, in chain order; each is also in its transaction's list. */
  readonly events: readonly EventView[]
}

export interface TransactionView {
  readonly index: number
  readonly id: Hex
  readonly type: number | null
  /** 1 succeeded, 0 failed, null where the chain does not say. */
  readonly status: number | null
  readonly from: Hex | null
  readonly to: Hex | null
  readonly nonce: bigint | null
  readonly value: bigint | null
  readonly gasLimit: bigint | null
  readonly gasUsed: bigint | null
  readonly gasPrice: bigint | null
  readonly maxFeePerGas: bigint | null
  readonly maxPriorityFeePerGas: bigint | null
  readonly effectiveGasPrice: bigint | null
  readonly contractAddress: Hex | null
  readonly input: Hex | null
  readonly eventCount: number
  /** JSON text `{"tx": …, "receipt": …}` of what has no column. */
  readonly extra: string | null
  readonly events: readonly EventView[]
  /** A column of the raw row, to be emitted unchanged into a column of the same type. */
  field(column: TransactionField): EncodedField
}

export interface EventView extends EvmEvent {
  field(column: EventField): EncodedField
}

export type TransactionField =
  | "id"
  | "type"
  | "status"
  | "from_address"
  | "to_address"
  | "nonce"
  | "value"
  | "gas_limit"
  | "gas_used"
  | "gas_price"
  | "max_fee_per_gas"
  | "max_priority_fee_per_gas"
  | "effective_gas_price"
  | "contract_address"
  | "input"

export type EventField = "transaction_id" | "address" | "topic0" | "topic1" | "topic2" | "topic3" | "data"
