// Every derived table that is recomputed, column by column. Columns that the database has and this list does not are
// reported, unless they are excluded here by name.

import type { Column, ColumnType, Table } from "./table.js"

/**
 * Table → columns that nobody vouches for. `event_rows` counts matches of a row by a source: where several sources of a table
 * read the same rows, how many there are is the declaration's business.
 */
export const excludedColumns: Readonly<Record<string, readonly string[]>> = {
  address_stats: ["event_rows"],
  accounts: ["event_rows"],
  daily_stats: ["event_rows"],
}

/** `name type` pairs, comma separated; `name` alone is an integer. */
export function columns(text: string): Column[] {
  return text.split(",").map((part) => {
    const [name, type = "integer"] = part.trim().split(" ")
    return { name: name!, type: type as ColumnType }
  })
}

const words = (text: string): string[] => text.split(",").map((word) => word.trim())

const events = (name: string, worker: string, key: string, text: string): Table => ({
  ...{ name, worker, kind: "events", key: words(key), columns: columns(text) },
})

/** Key, the listed columns, event_rows, then the tracked ends with their position. */
function state(
  name: string,
  worker: string,
  key: string,
  text: string,
  track: { readonly ends: readonly ("first" | "last")[]; readonly position: readonly string[] } = noTrack,
): Table {
  const ends = track.ends.flatMap((end) =>
    track.position.map((part): Column => ({ name: `${end}_${part}`, type: "integer" })),
  )
  const keyColumns = columns(key)
  const all: Column[] = [...keyColumns, ...columns(text), { name: "event_rows", type: "integer" }, ...ends]
  return {
    ...{ name, worker, kind: "state", key: keyColumns.map((column) => column.name) },
    columns: all.filter((column) => !excludedColumns[name]?.includes(column.name)),
  }
}

const pos2 = "block_height, transaction_index"
const pos3 = `${pos2}, event_index`
const of = "transaction_id bytes, timestamp timestamp"
const noTrack = { ends: [], position: [] } as const
const both = (position: string) => ({ ends: ["first", "last"] as const, position: words(position) })

export const tables = {
  ftTransfers: events(
    "ft_transfers",
    "token_worker",
    pos3,
    `${pos3}, ${of}, contract_address bytes, from_address bytes, to_address bytes, amount, kind text`,
  ),
  nftTransfers: events(
    "nft_transfers",
    "token_worker",
    `${pos3}, batch_index`,
    `${pos3}, batch_index, ${of}, contract_address bytes, standard text, operator bytes, from_address bytes,
     to_address bytes, token_id, amount, kind text`,
  ),
  ftTokens: state("ft_tokens", "token_worker", "contract_address bytes", "transfer_count, minted, burned", both(pos3)),
  nftCollections: state(
    "nft_collections",
    "token_worker",
    "contract_address bytes",
    "transfer_count, minted, burned, erc721_transfers, erc1155_transfers",
    both(pos3),
  ),
  contracts: state("contracts", "token_worker", "contract_address bytes", "ft_transfers, nft_transfers", both(pos3)),
  evmTransactions: events(
    "evm_transactions",
    "evm_worker",
    pos3,
    `${pos3}, ${of}, type, status, from_address bytes, to_address bytes, nonce, value, gas_limit, gas_used, gas_price,
     max_fee_per_gas, max_priority_fee_per_gas, effective_gas_price, contract_address bytes, method_id bytes,
     input bytes, payload_hash bytes, payload_ref text, event_count`,
  ),
  evmLogs: events(
    "evm_logs",
    "evm_worker",
    pos3,
    `${pos3}, ${of}, address bytes, topic0 bytes, topic1 bytes, topic2 bytes, topic3 bytes, data bytes,
     payload_hash bytes, payload_ref text`,
  ),
  addressTransactions: events(
    "address_transactions",
    "meta_worker",
    "block_height, transaction_id, address, role",
    `${pos2}, transaction_id bytes, address bytes, role text, timestamp timestamp, first_of_transaction boolean`,
  ),
  addressStats: state(
    "address_stats",
    "meta_worker",
    "address bytes",
    `transaction_count, sent_count, received_count, token_sent_count, token_received_count, emitted_count, created_count`,
    both(pos2),
  ),
  contractDeployments: events(
    "contract_deployments",
    "meta_worker",
    pos3,
    `${pos3}, ${of}, address bytes, deployer bytes, method text, init_code_hash bytes`,
  ),
  smartContracts: state(
    "smart_contracts",
    "meta_worker",
    "address bytes",
    "deployment_count, deployer bytes, transaction_id bytes, method text, init_code_hash bytes",
    both(pos3),
  ),
  txMetrics: events(
    "tx_metrics",
    "tx_metrics_worker",
    pos2,
    `${pos2}, ${of}, from_address bytes, status, gas_limit, gas_used, effective_gas_price, fee, burnt, event_count`,
  ),
  accounts: state(
    "accounts",
    "accounts_worker",
    "address bytes",
    `transaction_count, created_count, transactions_sent, value_sent, value_received, fees_paid, deployments`,
    both(pos2),
  ),
  ftHoldings: state(
    "ft_holdings",
    "ft_holdings_worker",
    "address bytes, contract_address bytes",
    "balance, transfers_in, transfers_out",
  ),
  nftOwnership: state(
    "nft_ownership",
    "nft_ownership_worker",
    "contract_address bytes, token_id",
    "owner bytes, transfer_count",
    both(`${pos3}, batch_index`),
  ),
  nftBalances: state(
    "nft_balances",
    "nft_ownership_worker",
    "contract_address bytes, token_id, address bytes",
    "balance, transfers_in, transfers_out",
  ),
  txContracts: events(
    "tx_contracts",
    "tx_contracts_worker",
    `${pos2}, contract_address`,
    `${pos2}, transaction_id bytes, contract_address bytes, called boolean, event_count`,
  ),
  txTags: events(
    "tx_tags",
    "tx_contracts_worker",
    `${pos2}, tag`,
    `${pos2}, tag text, transaction_id bytes, timestamp timestamp`,
  ),
  dailyStats: state(
    "daily_stats",
    "stats_worker",
    "day day",
    "transactions, failed, gas_used, fees, burnt, events, ft_transfers, nft_transfers, deployments",
  ),
  metadataSubjects: state(
    "metadata_subjects",
    "token_metadata_worker",
    "contract_address bytes",
    "ft_transfers, nft_transfers",
    { ends: ["first"], position: words(pos3) },
  ),
  searchSubjects: state(
    "search_subjects",
    "search_worker",
    "address bytes",
    "ft_transfers, nft_transfers, deployments",
  ),
} as const satisfies Record<string, Table>

export const allTables: readonly Table[] = Object.values(tables)
export const allWorkers: readonly string[] = [...new Set(allTables.map(({ worker }) => worker))]
