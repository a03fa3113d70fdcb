// The rows of evm_transactions and evm_logs.

import { createHash } from "node:crypto"
import type { RawBlock, RawLog, RawTransaction } from "./read-raw.js"
import type { Row } from "./table.js"

const inlineMaxBytes = 8192

function body(hex: string | null, ref: string): { inline: string | null; hash: string | null; ref: string | null } {
  if (hex === null || hex.length / 2 <= inlineMaxBytes) return { inline: hex, hash: null, ref: null }
  const hash = createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex")
  return { inline: null, hash, ref }
}

export function evmTransaction(block: RawBlock, transaction: RawTransaction): Row {
  const input = body(transaction.input, `raw.transactions/${block.height}/${transaction.index}`)
  const calls = transaction.to !== null && (transaction.input ?? "").length >= 8
  return {
    block_height: block.height,
    transaction_index: transaction.index,
    event_index: 0,
    transaction_id: transaction.id,
    timestamp: block.timestamp,
    type: transaction.type,
    status: transaction.status,
    from_address: transaction.from,
    to_address: transaction.to,
    nonce: transaction.nonce,
    value: transaction.value,
    gas_limit: transaction.gasLimit,
    gas_used: transaction.gasUsed,
    gas_price: transaction.gasPrice,
    max_fee_per_gas: transaction.maxFeePerGas,
    max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
    effective_gas_price: transaction.effectiveGasPrice,
    contract_address: transaction.contractAddress,
    method_id: calls ? transaction.input!.slice(0, 8) : null,
    input: input.inline,
    payload_hash: input.hash,
    payload_ref: input.ref,
    event_count: transaction.eventCount,
  }
}

export function evmLog(block: RawBlock, transaction: RawTransaction, log: RawLog): Row {
  const data = body(log.data, `raw.events/${block.height}/${transaction.index}/${log.eventIndex}`)
  return {
    block_height: block.height,
    transaction_index: transaction.index,
    event_index: log.eventIndex,
    transaction_id: transaction.id,
    timestamp: block.timestamp,
    address: log.address,
    topic0: log.topics[0] ?? null,
    topic1: log.topics[1] ?? null,
    topic2: log.topics[2] ?? null,
    topic3: log.topics[3] ?? null,
    data: data.inline,
    payload_hash: data.hash,
    payload_ref: data.ref,
  }
}
