// The raw tables as the rest of the code names them: columns in COPY order, and how each is partitioned.

import type { PartitionedTable } from "../../../partitions/partitioned-table.js"
import type { ComparedTable } from "../../../raw/compared-table.js"

const million = 1_000_000

/** What an EVM chain fills. Flow's own tables get partitions only on a Flow chain. */
export const evmPartitionedTables: readonly PartitionedTable[] = [
  { schema: "raw", table: "blocks", blocksPerPartition: 5 * million },
  {
    schema: "raw",
    table: "transactions",
    blocksPerPartition: 5 * million,
    indexes: [{ name: "block_height_transaction_index", on: "block_height, transaction_index" }],
  },
  { schema: "raw", table: "events", blocksPerPartition: 10 * million },
]

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

export const evmComparedTables: readonly ComparedTable[] = [
  { name: "blocks", height: "height", key: ["height"], columns: compared(blockColumns) },
  {
    name: "transactions",
    height: "block_height",
    key: ["block_height", "transaction_index"],
    columns: compared(transactionColumns),
  },
  {
    name: "events",
    height: "block_height",
    key: ["block_height", "transaction_index", "event_index"],
    columns: compared(eventColumns),
  },
]
