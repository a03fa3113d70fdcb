// The raw tables of an EVM chain: columns in COPY order, partitions, keys.

import type { RawTable } from "../../chain-family.js"

const million = 1_000_000

export const blockColumns = [
  "height",
  "hash",
  "parent_hash",
  "timestamp",
  "transaction_count",
  "event_count",
  "miner",
  "gas_limit",
  "gas_used",
  "base_fee_per_gas",
  "state_root",
  "transactions_root",
  "receipts_root",
  "extra",
] as const

export const transactionColumns = [
  "block_height",
  "id",
  "transaction_index",
  "type",
  "status",
  "from_address",
  "to_address",
  "nonce",
  "value",
  "gas_limit",
  "gas_used",
  "cumulative_gas_used",
  "gas_price",
  "max_fee_per_gas",
  "max_priority_fee_per_gas",
  "effective_gas_price",
  "contract_address",
  "input",
  "signature",
  "event_count",
  "events_sample",
  "extra",
] as const

export const eventColumns = [
  "block_height",
  "transaction_index",
  "event_index",
  "transaction_id",
  "address",
  "topic0",
  "topic1",
  "topic2",
  "topic3",
  "data",
  "extra",
] as const

export const txLookupColumns = ["id", "block_height", "tx_index", "timestamp"] as const
export const blockLookupColumns = ["id", "height", "timestamp"] as const

/** `extra` is each node's own words, and a sample no word of it. */
const compared = (columns: readonly string[]): readonly string[] =>
  columns.filter((name) => name !== "extra" && name !== "events_sample")

/** What an EVM chain fills. Flow's own tables get partitions only on a Flow chain. */
export const evmRawTables: readonly RawTable[] = [
  {
    schema: "raw",
    table: "blocks",
    blocksPerPartition: 5 * million,
    height: "height",
    key: ["height"],
    columns: compared(blockColumns),
  },
  {
    schema: "raw",
    table: "transactions",
    blocksPerPartition: 5 * million,
    indexes: [{ name: "block_height_transaction_index", on: "block_height, transaction_index" }],
    height: "block_height",
    key: ["block_height", "transaction_index"],
    columns: compared(transactionColumns),
    numbered: { column: "transaction_index", within: ["block_height"] },
  },
  {
    schema: "raw",
    table: "events",
    blocksPerPartition: 10 * million,
    height: "block_height",
    key: ["block_height", "transaction_index", "event_index"],
    columns: compared(eventColumns),
    numbered: { column: "event_index", within: ["block_height"], isByChain: true },
  },
]
