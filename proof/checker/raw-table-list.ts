// The raw tables of an EVM chain, as docs/reference/schema.md has them, and the columns of them that are not compared.

import type { Table } from "./table.js"
import { columns } from "./table-list.js"

const raw = { worker: "raw_ingester", kind: "events" } as const

export const rawTables = {
  blocks: {
    ...raw,
    ...{ name: "blocks", key: ["height"] },
    columns: columns(
      `height, hash bytes, parent_hash bytes, timestamp timestamp, transaction_count, event_count, miner bytes, gas_limit,
       gas_used, base_fee_per_gas, state_root bytes, transactions_root bytes, receipts_root bytes, extra bytes`,
    ),
  },
  transactions: {
    ...raw,
    ...{ name: "transactions", key: ["block_height", "id"] },
    columns: columns(
      `block_height, id bytes, transaction_index, type, status, from_address bytes, to_address bytes, nonce, value,
       gas_limit, gas_used, cumulative_gas_used, gas_price, max_fee_per_gas, max_priority_fee_per_gas,
       effective_gas_price, contract_address bytes, input bytes, signature bytes, event_count, script_hash bytes,
       arguments text, error_message text, extra bytes`,
    ),
  },
  events: {
    ...raw,
    ...{ name: "events", key: ["block_height", "transaction_index", "event_index"] },
    columns: columns(
      `block_height, transaction_index, event_index, transaction_id bytes, address bytes, topic0 bytes, topic1 bytes,
       topic2 bytes, topic3 bytes, data bytes, type text, payload text, payload_hash bytes, payload_ref text,
       extra bytes`,
    ),
  },
  txLookup: {
    ...raw,
    ...{ name: "tx_lookup", key: ["id", "block_height"] },
    columns: columns("id bytes, block_height, tx_index, timestamp timestamp"),
  },
  blockLookup: {
    ...raw,
    ...{ name: "block_lookup", key: ["id"] },
    columns: columns("id bytes, height, timestamp timestamp"),
  },
} satisfies Record<string, Table>

export type RawTableName = keyof typeof rawTables

/** Table → column → why nobody vouches for it. */
export const uncomparedRawColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transactions: {
    events_sample: "a cut copy of the events for debugging, there or not by a setting that the node knows nothing of",
  },
}
