// evm_worker: one row for each transaction and each log, under the EVM's names. Fields are copied from the raw row
// as they are; only the first bytes of the input are decoded.

import { createHash } from "node:crypto"
import { amount, bytes, int2, int4, nullable, text } from "../../../../workers/column.js"
import { eventTable } from "../../../../workers/define-worker.js"
import type { EncodedField } from "../../../../workers/encoded-field.js"
import { defineWorker, eventColumns, partitionBlocks } from "../../define-worker.js"
import type { TransactionView } from "../../raw/block-view.js"
import { fieldContent, isNullField, prefixBytes } from "../evm-events/field-content.js"

const selectorBytes = 4
const payloadInlineMaxBytes = 8192

/**
 * SHA-256 of a payload that is too large for the row; null for any other. It stays in the raw store, and the row
 * refers to it, so that one transaction cannot make a derived table as large as the raw one.
 */
function oversizedHash(payload: EncodedField): Uint8Array | null {
  // Measured first, without a view of the bytes: nearly all are small.
  if (payload.byteLength <= prefixBytes + payloadInlineMaxBytes) return null
  const content = fieldContent(payload)
  return content && createHash("sha256").update(content).digest()
}

/** The called function. The input of a creation begins with code, not with a selector. */
function methodId(transaction: TransactionView): Uint8Array | null {
  if (isNullField(transaction.field("to_address"))) return null
  const input = fieldContent(transaction.field("input"))
  return input === null || input.length < selectorBytes ? null : input.subarray(0, selectorBytes)
}

export const evmWorker = defineWorker({
  name: "evm_worker",
  version: 1,
  tables: {
    evm_transactions: eventTable({
      columns: {
        // event_index is always 0 here. It distinguishes the EVM transactions that one Flow transaction can hold.
        ...eventColumns,
        type: nullable(int2),
        status: nullable(int2),
        from_address: nullable(bytes),
        to_address: nullable(bytes),
        nonce: nullable(amount),
        value: nullable(amount),
        gas_limit: nullable(amount),
        gas_used: nullable(amount),
        gas_price: nullable(amount),
        max_fee_per_gas: nullable(amount),
        max_priority_fee_per_gas: nullable(amount),
        effective_gas_price: nullable(amount),
        contract_address: nullable(bytes),
        method_id: nullable(bytes),
        input: nullable(bytes),
        payload_hash: nullable(bytes),
        payload_ref: nullable(text),
        event_count: int4,
      },
      key: ["block_height", "transaction_index", "event_index"],
      partitionBlocks,
      // An account's own transactions, without those in which it only appears in events.
      indexes: [
        ["from_address", "block_height", "transaction_index"],
        ["to_address", "block_height", "transaction_index"],
      ],
    }),
    evm_logs: eventTable({
      columns: {
        ...eventColumns,
        address: nullable(bytes),
        topic0: nullable(bytes),
        topic1: nullable(bytes),
        topic2: nullable(bytes),
        topic3: nullable(bytes),
        data: nullable(bytes),
        payload_hash: nullable(bytes),
        payload_ref: nullable(text),
      },
      key: ["block_height", "transaction_index", "event_index"],
      partitionBlocks,
      indexes: [
        ["address", "block_height"],
        ["address", "topic0", "block_height"],
      ],
    }),
  },
  extract({ block, emit }) {
    const { height, timestampUs } = block
    for (const transaction of block.transactions) {
      const input = transaction.field("input")
      const hash = oversizedHash(input)
      emit.evm_transactions({
        block_height: height,
        transaction_index: transaction.index,
        event_index: 0,
        transaction_id: transaction.field("id"),
        timestamp: timestampUs,
        type: transaction.field("type"),
        status: transaction.field("status"),
        from_address: transaction.field("from_address"),
        to_address: transaction.field("to_address"),
        nonce: transaction.field("nonce"),
        value: transaction.field("value"),
        gas_limit: transaction.field("gas_limit"),
        gas_used: transaction.field("gas_used"),
        gas_price: transaction.field("gas_price"),
        max_fee_per_gas: transaction.field("max_fee_per_gas"),
        max_priority_fee_per_gas: transaction.field("max_priority_fee_per_gas"),
        effective_gas_price: transaction.field("effective_gas_price"),
        contract_address: transaction.field("contract_address"),
        method_id: methodId(transaction),
        input: hash === null ? input : null,
        payload_hash: hash,
        payload_ref: hash === null ? null : `raw.transactions/${height}/${transaction.index}`,
        event_count: transaction.eventCount,
      })
    }
    for (const event of block.events) {
      const data = event.field("data")
      const hash = oversizedHash(data)
      emit.evm_logs({
        block_height: height,
        transaction_index: event.transactionIndex,
        event_index: event.index,
        transaction_id: event.field("transaction_id"),
        timestamp: timestampUs,
        address: event.field("address"),
        topic0: event.field("topic0"),
        topic1: event.field("topic1"),
        topic2: event.field("topic2"),
        topic3: event.field("topic3"),
        data: hash === null ? data : null,
        payload_hash: hash,
        payload_ref: hash === null ? null : `raw.events/${height}/${event.transactionIndex}/${event.index}`,
      })
    }
  },
})
