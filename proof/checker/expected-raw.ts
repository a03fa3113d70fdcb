// The raw rows of a block, read off the node's answers: a column a field, nothing inferred but counts and times.

import type { Json, NodeBlock, NodeTransaction } from "./read-node.js"
import type { Row } from "./table.js"

type Field = string | null

const fieldOf = (object: Json, name: string): Field => (object[name] ?? null) as Field

/** Bytes as lowercase hex without a prefix. */
function bytesIn(object: Json, name: string): string | null {
  const field = fieldOf(object, name)
  return field === null ? null : field.slice(2).toLowerCase()
}

function numberIn(object: Json, name: string): bigint | null {
  const field = fieldOf(object, name)
  return field === null ? null : BigInt(field)
}

const microseconds = (block: Json): bigint => numberIn(block, "timestamp")! * 1_000_000n

export function blockRow({ height, block, transactions }: NodeBlock): Row {
  return {
    height,
    hash: bytesIn(block, "hash"),
    parent_hash: bytesIn(block, "parentHash"),
    timestamp: microseconds(block),
    transaction_count: transactions.length,
    event_count: transactions.reduce((sum, { logs }) => sum + logs.length, 0),
    miner: bytesIn(block, "miner"),
    gas_limit: numberIn(block, "gasLimit"),
    gas_used: numberIn(block, "gasUsed"),
    base_fee_per_gas: numberIn(block, "baseFeePerGas"),
    state_root: bytesIn(block, "stateRoot"),
    transactions_root: bytesIn(block, "transactionsRoot"),
    receipts_root: bytesIn(block, "receiptsRoot"),
    extra: "",
  }
}

export function transactionRow({ height }: NodeBlock, { tx, receipt, logs }: NodeTransaction): Row {
  return {
    block_height: height,
    id: bytesIn(tx, "hash"),
    transaction_index: numberIn(tx, "transactionIndex"),
    type: numberIn(tx, "type"),
    status: numberIn(receipt, "status"),
    from_address: bytesIn(tx, "from"),
    to_address: bytesIn(tx, "to"),
    nonce: numberIn(tx, "nonce"),
    value: numberIn(tx, "value"),
    gas_limit: numberIn(tx, "gas"),
    gas_used: numberIn(receipt, "gasUsed"),
    cumulative_gas_used: numberIn(receipt, "cumulativeGasUsed"),
    gas_price: numberIn(tx, "gasPrice"),
    max_fee_per_gas: numberIn(tx, "maxFeePerGas"),
    max_priority_fee_per_gas: numberIn(tx, "maxPriorityFeePerGas"),
    effective_gas_price: numberIn(receipt, "effectiveGasPrice"),
    contract_address: bytesIn(receipt, "contractAddress"),
    input: bytesIn(tx, "input"),
    signature: signatureIn(tx),
    event_count: logs.length,
    // Flow's.
    ...{ script_hash: null, arguments: null, error_message: null },
    extra: "",
  }
}

/** r and s as 32 bytes each, then v in whole bytes. */
function signatureIn(tx: Json): string | null {
  const [r, s, v] = ["r", "s", "v"].map((name) => numberIn(tx, name)?.toString(16))
  if (r === undefined || s === undefined || v === undefined) return null
  return r.padStart(64, "0") + s.padStart(64, "0") + v.padStart(v.length + (v.length % 2), "0")
}

export function eventRow({ height }: NodeBlock, { tx }: NodeTransaction, log: Json): Row {
  const topics = (log["topics"] as readonly string[]).map((topic) => topic.slice(2).toLowerCase())
  return {
    block_height: height,
    transaction_index: numberIn(tx, "transactionIndex"),
    event_index: numberIn(log, "logIndex"),
    transaction_id: bytesIn(tx, "hash"),
    address: bytesIn(log, "address"),
    ...{ topic0: topics[0] ?? null, topic1: topics[1] ?? null },
    ...{ topic2: topics[2] ?? null, topic3: topics[3] ?? null },
    data: bytesIn(log, "data"),
    // Flow's.
    ...{ type: null, payload: null, payload_hash: null, payload_ref: null },
    extra: "",
  }
}

export function txLookupRow({ height, block }: NodeBlock, { tx }: NodeTransaction): Row {
  return {
    id: bytesIn(tx, "hash"),
    block_height: height,
    tx_index: numberIn(tx, "transactionIndex"),
    timestamp: microseconds(block),
  }
}

export const blockLookupRow = ({ height, block }: NodeBlock): Row => ({
  id: bytesIn(block, "hash"),
  height,
  timestamp: microseconds(block),
})
