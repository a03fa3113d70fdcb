// What GraphQL shows of an EVM chain beside the tables that workers declare: blocks, what observers found out, counts; and
// how rows name their block and their transaction.

import { rawIngester } from "../../../coordination/raw-ingester.js"
import type { FamilyTable, GraphFamily } from "../../../queries/graphql/graph-table.js"
import { amount, bytes, int2, int4, int8, nullable, text, timestamp } from "../../../workers/column.js"
import { lookUpBlock, lookUpTransaction } from "./chain-columns.js"

const blocks: FamilyTable = {
  ...{ name: "blocks", store: "raw", worker: rawIngester, height: "height" },
  columns: {
    height: int8,
    hash: bytes,
    parent_hash: bytes,
    timestamp,
    transaction_count: int4,
    event_count: int4,
    miner: nullable(bytes),
    gas_limit: nullable(amount),
    gas_used: nullable(amount),
    base_fee_per_gas: nullable(amount),
    state_root: nullable(bytes),
    transactions_root: nullable(bytes),
    receipts_root: nullable(bytes),
  },
}

const ofContract = { store: "app", height: undefined } as const

const observed: readonly FamilyTable[] = [
  {
    ...{ ...ofContract, name: "token_metadata", worker: "token_metadata_worker" },
    columns: {
      contract_address: bytes,
      status: text,
      name: nullable(text),
      symbol: nullable(text),
      decimals: nullable(int2),
    },
  },
  {
    ...{ name: "contract_code_hashes", store: "app", worker: "meta_worker", height: undefined },
    columns: { address: bytes, status: text, code_hash: nullable(bytes), code_bytes: nullable(int4) },
  },
  {
    ...{ ...ofContract, name: "ft_holder_counts", worker: "ft_holdings_worker" },
    columns: { contract_address: bytes, holders: int8 },
  },
  {
    ...{ ...ofContract, name: "nft_item_counts", worker: "nft_ownership_worker" },
    columns: { contract_address: bytes, items: int8 },
  },
  {
    ...{ ...ofContract, name: "nft_token_counts", worker: "nft_ownership_worker" },
    columns: { contract_address: bytes, tokens: int8 },
  },
]

const byContract = { by: ["contract_address"] }

const hex = (value: Buffer): string => `0x${value.toString("hex")}`

export const evmGraph: GraphFamily = {
  tables: [blocks, ...observed],
  places: [
    { name: "block", table: "blocks", columns: { block_height: "height" } },
    {
      name: "transaction",
      table: "evm_transactions",
      columns: { block_height: "block_height", transaction_index: "transaction_index" },
    },
  ],
  totals: [
    { table: "blocks", by: [] },
    { ...byContract, table: "ft_transfers", counter: { table: "ft_tokens", column: "transfer_count" } },
    { ...byContract, table: "nft_transfers", counter: { table: "nft_collections", column: "transfer_count" } },
    { ...byContract, table: "nft_ownership", counter: { table: "nft_token_counts", column: "tokens" } },
  ],
  lookups: [
    {
      ...{ table: "blocks", argument: "hash" },
      find: async (raw, hash) => {
        const found = hash.length === 32 ? await lookUpBlock(raw, { block: hex(hash) }) : undefined
        return found && { height: found["lookup_height"] }
      },
    },
    {
      ...{ table: "evm_transactions", argument: "transaction_id" },
      find: async (raw, hash) => {
        const found = await lookUpTransaction(raw, { hash: hex(hash) })
        return (
          found && {
            block_height: found["lookup_height"],
            transaction_index: Number(found["lookup_index"]),
            event_index: 0,
          }
        )
      },
    },
  ],
}
