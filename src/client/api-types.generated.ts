// Made from the schemas of the routes: `npm run schema` writes it again.

type Digits = string | number | bigint

/** How far an answer is complete. */
export interface Meta { readonly chain: string; readonly data_watermark: string | null; readonly coverage: readonly ({ readonly from: string; readonly to: string })[]; readonly gaps: readonly ({ readonly from: string; readonly to: string })[]; readonly partial: boolean; readonly required_workers: readonly (string)[]; readonly next_cursor: string | null; readonly total?: string }

export interface Routes {
  /** One account. */
  readonly "/accounts/{address}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly address: string }
    readonly answer: { readonly data: { readonly address: string; readonly label: string | null; readonly transaction_count: string; readonly transactions_sent: string; readonly value_sent: string; readonly value_received: string; readonly fees_paid: string; readonly deployments: string; readonly first_block_height: string | null; readonly last_block_height: string | null }; readonly meta: Meta }
  }
  /** Events that a contract emitted. */
  readonly "/accounts/{address}/events": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly address: string | null; readonly topic0: string | null; readonly topic1: string | null; readonly topic2: string | null; readonly topic3: string | null; readonly data: string | null; readonly decoded: null | { readonly name: string; readonly signature: string; readonly args: readonly ({ readonly name: string; readonly type: string; readonly value: unknown; readonly indexed: boolean; readonly hashed?: boolean })[]; readonly abi: { readonly source: "given" | "config" | "standard"; readonly name: string } } })[]; readonly meta: Meta }
  }
  /** Transfers of fungible tokens from or to an account. */
  readonly "/accounts/{address}/ft-transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly contract_address: string; readonly from_address: string; readonly to_address: string; readonly amount: string; readonly decimals: number | null; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
  /** What an account holds of each fungible token, by its transfers. */
  readonly "/accounts/{address}/holdings": {
    readonly paged: true
    readonly args: { readonly at?: Digits; readonly min_height?: Digits; readonly min_block_hash?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly contract_address: string; readonly balance: string; readonly decimals: number | null; readonly symbol: string | null; readonly name: string | null; readonly transfers_in: string; readonly transfers_out: string })[]; readonly meta: Meta }
  }
  /** Transfers of NFTs from or to an account. */
  readonly "/accounts/{address}/nft-transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly batch_index: number; readonly contract_address: string; readonly standard: string; readonly operator: string | null; readonly from_address: string; readonly to_address: string; readonly token_id: string; readonly amount: string; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
  /** NFTs that an account owns, and how many of each ERC-1155 token. */
  readonly "/accounts/{address}/nfts": {
    readonly paged: true
    readonly args: { readonly at?: Digits; readonly min_height?: Digits; readonly min_block_hash?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly contract_address: string; readonly token_id: string; readonly standard: string; readonly balance: string; readonly symbol: string | null; readonly name: string | null })[]; readonly meta: Meta }
  }
  /** Transactions that an account took part in, in any role. */
  readonly "/accounts/{address}/transactions": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly address: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly timestamp: string; readonly type: number | null; readonly status: number | null; readonly from_address: string | null; readonly to_address: string | null; readonly contract_address: string | null; readonly nonce: string | null; readonly value: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly gas_price: string | null; readonly effective_gas_price: string | null; readonly method_id: string | null; readonly event_count: number })[]; readonly meta: Meta }
  }
  /** Blocks in chain order. */
  readonly "/blocks": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly height: string; readonly hash: string; readonly parent_hash: string; readonly timestamp: string; readonly transaction_count: number; readonly event_count: number; readonly miner: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly base_fee_per_gas: string | null; readonly state_root: string | null; readonly transactions_root: string | null; readonly receipts_root: string | null })[]; readonly meta: Meta }
  }
  /** One block by height or hash. */
  readonly "/blocks/{block}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly block: Digits }
    readonly answer: { readonly data: { readonly height: string; readonly hash: string; readonly parent_hash: string; readonly timestamp: string; readonly transaction_count: number; readonly event_count: number; readonly miner: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly base_fee_per_gas: string | null; readonly state_root: string | null; readonly transactions_root: string | null; readonly receipts_root: string | null }; readonly meta: Meta }
  }
  /** The transactions of one block. */
  readonly "/blocks/{block}/transactions": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly block: Digits }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly timestamp: string; readonly type: number | null; readonly status: number | null; readonly from_address: string | null; readonly to_address: string | null; readonly contract_address: string | null; readonly nonce: string | null; readonly value: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly gas_price: string | null; readonly effective_gas_price: string | null; readonly method_id: string | null; readonly event_count: number })[]; readonly meta: Meta }
  }
  /** Collections by address, or by `sort`: `items`, `transfers`. */
  readonly "/collections": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly sort?: "items" | "transfers"; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly contract_address: string; readonly name: string | null; readonly symbol: string | null; readonly transfer_count: string; readonly minted: string; readonly burned: string; readonly first_block_height: string | null; readonly last_block_height: string | null; readonly item_count: string; readonly erc721_transfers: string; readonly erc1155_transfers: string })[]; readonly meta: Meta }
  }
  /** One collection, with its name and the sums of its transfers. */
  readonly "/collections/{contract}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly contract: string }
    readonly answer: { readonly data: { readonly contract_address: string; readonly name: string | null; readonly symbol: string | null; readonly transfer_count: string; readonly minted: string; readonly burned: string; readonly first_block_height: string | null; readonly last_block_height: string | null; readonly item_count: string; readonly erc721_transfers: string; readonly erc1155_transfers: string }; readonly meta: Meta }
  }
  /** The ERC-721 items of a collection with their owners, burned ones too. */
  readonly "/collections/{contract}/items": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly contract: string }
    readonly answer: { readonly data: readonly ({ readonly token_id: string; readonly owner: string | null; readonly transfer_count: string; readonly first_block_height: string | null; readonly last_block_height: string | null })[]; readonly meta: Meta }
  }
  /** One ERC-721 item with its owner. */
  readonly "/collections/{contract}/items/{item}": {
    readonly paged: false
    readonly args: { readonly at?: Digits; readonly min_height?: Digits; readonly min_block_hash?: string; readonly contract: string; readonly item: Digits }
    readonly answer: { readonly data: { readonly token_id: string; readonly owner: string | null; readonly transfer_count: string; readonly first_block_height: string | null; readonly last_block_height: string | null }; readonly meta: Meta }
  }
  /** What the document of an item says (name, image, attributes), fetched where NFT_METADATA is set. */
  readonly "/collections/{contract}/items/{item}/metadata": {
    readonly paged: false
    readonly args: { readonly contract: string; readonly item: Digits }
    readonly answer: { readonly data: { readonly status: "ok" | "off" | "none" | "refused" | "unavailable" | "invalid"; readonly message: string | null; readonly uri: string | null; readonly fetched_at: string | null; readonly metadata: null | { readonly name: string | null; readonly description: string | null; readonly image: string | null; readonly external_url: string | null; readonly attributes: readonly ({ readonly trait: string | null; readonly value: string })[] } } }
  }
  /** The transfers of one collection. */
  readonly "/collections/{contract}/transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly contract: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly batch_index: number; readonly contract_address: string; readonly standard: string; readonly operator: string | null; readonly from_address: string; readonly to_address: string; readonly token_id: string; readonly amount: string; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
  /** One contract: who deployed it, and its code's hash. */
  readonly "/contracts/{address}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly address: string }
    readonly answer: { readonly data: { readonly address: string; readonly deployer: string | null; readonly transaction_hash: string | null; readonly method: string | null; readonly deployment_count: string; readonly first_block_height: string | null; readonly last_block_height: string | null; readonly code_hash: string | null; readonly code_bytes: number | null }; readonly meta: Meta }
  }
  /** What each worker covers of [from, to), in buckets whose worst state wins. */
  readonly "/coverage": {
    readonly paged: false
    readonly args: { readonly from?: Digits; readonly to?: Digits; readonly buckets?: number }
    readonly answer: { readonly chain: string; readonly chain_epoch: number; readonly from: string; readonly to: string; readonly raw_tip_height: string | null; readonly worker_tip_height: string | null; readonly app_watermark_height: string | null; readonly workers: readonly ({ readonly worker: string; readonly watermark_height: string | null; readonly coverage: readonly ({ readonly from: string; readonly to: string })[]; readonly buckets: readonly ({ readonly from: string; readonly to: string; readonly state: "dead" | "failed" | "missing" | "active" | "skipped" | "done" })[] })[] }
  }
  /** Events in chain order. */
  readonly "/events": {
    readonly paged: true
    readonly args: { readonly address?: string; readonly topic0?: string; readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly address: string | null; readonly topic0: string | null; readonly topic1: string | null; readonly topic2: string | null; readonly topic3: string | null; readonly data: string | null; readonly decoded: null | { readonly name: string; readonly signature: string; readonly args: readonly ({ readonly name: string; readonly type: string; readonly value: unknown; readonly indexed: boolean; readonly hashed?: boolean })[]; readonly abi: { readonly source: "given" | "config" | "standard"; readonly name: string } } })[]; readonly meta: Meta }
  }
  /** What people did, newest first. */
  readonly "/ops/audit": {
    readonly paged: true
    readonly args: { readonly action?: string; readonly actor?: string; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly id: number; readonly store: "raw" | "app"; readonly at: string; readonly actor: string; readonly action: string; readonly details: {  } })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Errors of blocks, newest first. */
  readonly "/ops/errors": {
    readonly paged: true
    readonly args: { readonly worker?: string; readonly resolved?: "true" | "false"; readonly severity?: "WARN" | "FATAL"; readonly height?: Digits; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly worker: string; readonly height: string; readonly transaction_id: string | null; readonly severity: "WARN" | "FATAL"; readonly message: string; readonly seen: number; readonly resolved: boolean; readonly raw_data: string | null; readonly raw_ref: string | null; readonly first_seen_at: string; readonly last_seen_at: string })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Leases that are not completed, with their attempt, next try and last error. */
  readonly "/ops/leases": {
    readonly paged: true
    readonly args: { readonly worker?: string; readonly status?: "ACTIVE" | "FAILED" | "DEAD" | "OPEN"; readonly code?: string; readonly fault?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly id: string; readonly worker: string; readonly from: string; readonly to: string; readonly status: "ACTIVE" | "FAILED" | "DEAD"; readonly attempt: number; readonly leased_by: string | null; readonly leased_for_ms: number | null; readonly expires_in_ms: number | null; readonly next_attempt_in_ms: number | null; readonly error_code: string | null; readonly error: string | null; readonly error_age_ms: number | null })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** DEAD blocks grouped by worker and error. */
  readonly "/ops/leases/dead": {
    readonly paged: true
    readonly args: { readonly worker?: string; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly worker: string; readonly error_code: string; readonly error: string; readonly fault: string; readonly blocks: number; readonly first_height: string; readonly last_height: string; readonly attempts: number; readonly newest_age_ms: number | null })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** The state of each worker's heights in [from, to), in buckets whose worst state wins. */
  readonly "/ops/map": {
    readonly paged: false
    readonly args: { readonly from?: Digits; readonly to?: Digits; readonly buckets?: number }
    readonly answer: { readonly chain: string; readonly from: string; readonly to: string; readonly buckets: number; readonly start_height: string; readonly head_height: string | null; readonly finalized_height: string | null; readonly workers: readonly ({ readonly worker: string; readonly dependencies: readonly (string)[]; readonly watermark_height: string | null; readonly states: string; readonly missing_blocks: number; readonly leases: { readonly active: number; readonly failed: number; readonly dead: number } })[]; readonly rollbacks: readonly ({ readonly height: string; readonly epoch: number; readonly at: string })[] }
  }
  /** Processes that reported in the last 30 s. */
  readonly "/ops/processes": {
    readonly paged: true
    readonly args: { readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly id: string; readonly host: string; readonly pid: number; readonly roles: readonly (string)[]; readonly version: string; readonly http_url: string | null; readonly up_ms: number; readonly seen_ago_ms: number; readonly threads: number; readonly follows_head: boolean; readonly paused: string | null; readonly rss_bytes: number; readonly connections: number | null; readonly last_fault: null | { readonly code: string; readonly message: string; readonly at: string }; readonly last_stored_at: string | null; readonly idle_workers: readonly ({ readonly worker: string; readonly message: string })[]; readonly rate_limit: number | null; readonly rate_share: number | null; readonly calls_per_minute: number })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Nodes as the processes see them, and what each was asked. */
  readonly "/ops/providers": {
    readonly paged: true
    readonly args: { readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly label: string; readonly state: "closed" | "half-open" | "open"; readonly last_error: string | null; readonly last_error_at: string | null; readonly wrong_chain_id: string | null; readonly processes: number; readonly open_in: number; readonly head_height: string | null; readonly head_age_ms: number | null; readonly still_ms: number | null; readonly head_fault: string | null; readonly left: boolean; readonly rate_limit: number | null; readonly rate_share: number | null; readonly methods: readonly ({ readonly method: string; readonly calls: number; readonly errors: number; readonly bytes: number; readonly seconds: number; readonly per_minute: number })[] })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Rollbacks, newest first, with the open one. */
  readonly "/ops/rollbacks": {
    readonly paged: true
    readonly args: { readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly id: string; readonly epoch: number; readonly state: "open" | "done" | "cancelled"; readonly removed_from: string | null; readonly removed_to: string | null; readonly ancestor_hash: string | null; readonly reason: string | null; readonly highest_height: string | null; readonly app_done: boolean; readonly opened_at: string | null; readonly created_at: string | null; readonly took_ms: number | null; readonly actor: string | null })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** How far the chain was over an hour, a day or a month. */
  readonly "/ops/series": {
    readonly paged: false
    readonly args: { readonly span?: "hour" | "day" | "month"; readonly points?: number }
    readonly answer: { readonly chain: string; readonly span: "hour" | "day" | "month"; readonly interval_ms: number; readonly at: readonly (string)[]; readonly head_height: readonly (string | null)[]; readonly workers: readonly ({ readonly worker: string; readonly watermark_height: readonly (string | null)[]; readonly lag_blocks: readonly (number | null)[]; readonly blocks_per_second: readonly (number | null)[] })[] }
  }
  /** Tables with their size on disk and their growth. */
  readonly "/ops/store": {
    readonly paged: true
    readonly args: { readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly store: "raw" | "app"; readonly table: string; readonly worker: string | null; readonly partitions: number; readonly rows: number | null; readonly bytes: number; readonly index_bytes: number; readonly bytes_per_block: number | null; readonly bytes_per_day: number | null })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Partitions of the tables with their size on disk. */
  readonly "/ops/store/partitions": {
    readonly paged: true
    readonly args: { readonly store?: "raw" | "app"; readonly table?: string; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly store: "raw" | "app"; readonly table: string; readonly partition: string; readonly from: string; readonly to: string; readonly rows: number | null; readonly bytes: number; readonly index_bytes: number })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Workers with what they depend on, how far they are, their leases and open errors. */
  readonly "/ops/workers": {
    readonly paged: true
    readonly args: { readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly worker: string; readonly dependencies: readonly (string)[]; readonly version: number | null; readonly tables: readonly (string)[]; readonly paused: boolean; readonly paused_reason: string | null; readonly concurrency: number | null; readonly watermark_height: string | null; readonly tip_height: string | null; readonly covered_blocks: number; readonly skipped_blocks: number; readonly lag_blocks: number | null; readonly leases: { readonly active: number; readonly failed: number; readonly dead: number }; readonly open_errors: number })[]; readonly meta: { readonly chain: string; readonly next_cursor: string | null } }
  }
  /** Blocks, transactions, accounts, contracts, tokens and collections, by `q`. */
  readonly "/search": {
    readonly paged: false
    readonly args: { readonly q: string; readonly min_height?: Digits; readonly min_block_hash?: string }
    readonly answer: { readonly data: readonly ({ readonly type: "block" | "transaction" | "token" | "collection" | "contract" | "account"; readonly match: "exact" | "prefix" | "word" | "contains"; readonly block_height: string | null; readonly hash: string | null; readonly address: string | null; readonly label: string | null; readonly name: string | null; readonly symbol: string | null; readonly decimals: number | null; readonly transfer_count: string | null })[]; readonly meta: Meta }
  }
  /** What happened on each UTC day. */
  readonly "/stats/daily": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly day: string; readonly transactions: string; readonly failed: string; readonly gas_used: string; readonly fees: string; readonly burnt: string; readonly events: string; readonly ft_transfers: string; readonly nft_transfers: string; readonly deployments: string })[]; readonly meta: Meta }
  }
  /** The tables of workers, with their columns, keys and indexes. */
  readonly "/tables": {
    readonly paged: false
    readonly args: {  }
    readonly answer: { readonly data: readonly ({ readonly table: string; readonly worker: string; readonly kind: string; readonly columns: readonly ({ readonly name: string; readonly kind: string; readonly nullable: boolean })[]; readonly key: readonly (string)[]; readonly indexes: readonly (readonly (string)[])[] })[] }
  }
  /** Tokens by address, or by `sort`: `holders`, `transfers`. */
  readonly "/tokens": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly sort?: "holders" | "transfers"; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly contract_address: string; readonly name: string | null; readonly symbol: string | null; readonly transfer_count: string; readonly minted: string; readonly burned: string; readonly first_block_height: string | null; readonly last_block_height: string | null; readonly decimals: number | null; readonly holder_count: string })[]; readonly meta: Meta }
  }
  /** One token, with its name and the sums of its transfers. */
  readonly "/tokens/{contract}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly contract: string }
    readonly answer: { readonly data: { readonly contract_address: string; readonly name: string | null; readonly symbol: string | null; readonly transfer_count: string; readonly minted: string; readonly burned: string; readonly first_block_height: string | null; readonly last_block_height: string | null; readonly decimals: number | null; readonly holder_count: string }; readonly meta: Meta }
  }
  /** Who holds a token, by balance. */
  readonly "/tokens/{contract}/holders": {
    readonly paged: true
    readonly args: { readonly at?: Digits; readonly min_height?: Digits; readonly min_block_hash?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly contract: string }
    readonly answer: { readonly data: readonly ({ readonly address: string; readonly balance: string; readonly decimals: number | null; readonly symbol: string | null; readonly transfers_in: string; readonly transfers_out: string })[]; readonly meta: Meta }
  }
  /** What one address has of a token, by its transfers. */
  readonly "/tokens/{contract}/holders/{address}": {
    readonly paged: false
    readonly args: { readonly at?: Digits; readonly min_height?: Digits; readonly min_block_hash?: string; readonly contract: string; readonly address: string }
    readonly answer: { readonly data: { readonly address: string; readonly balance: string; readonly decimals: number | null; readonly symbol: string | null; readonly transfers_in: string; readonly transfers_out: string }; readonly meta: Meta }
  }
  /** The transfers of one token. */
  readonly "/tokens/{contract}/transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly contract: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly contract_address: string; readonly from_address: string; readonly to_address: string; readonly amount: string; readonly decimals: number | null; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
  /** Transactions in chain order. */
  readonly "/transactions": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly timestamp: string; readonly type: number | null; readonly status: number | null; readonly from_address: string | null; readonly to_address: string | null; readonly contract_address: string | null; readonly nonce: string | null; readonly value: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly gas_price: string | null; readonly effective_gas_price: string | null; readonly method_id: string | null; readonly event_count: number })[]; readonly meta: Meta }
  }
  /** One transaction by its hash, with its whole input and the call that it is. */
  readonly "/transactions/{hash}": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly hash: string }
    readonly answer: { readonly data: { readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly timestamp: string; readonly type: number | null; readonly status: number | null; readonly from_address: string | null; readonly to_address: string | null; readonly contract_address: string | null; readonly nonce: string | null; readonly value: string | null; readonly gas_limit: string | null; readonly gas_used: string | null; readonly gas_price: string | null; readonly effective_gas_price: string | null; readonly method_id: string | null; readonly event_count: number; readonly cumulative_gas_used: string | null; readonly max_fee_per_gas: string | null; readonly max_priority_fee_per_gas: string | null; readonly block_hash: string | null; readonly input: string | null; readonly decoded: null | { readonly name: string; readonly signature: string; readonly args: readonly ({ readonly name: string; readonly type: string; readonly value: unknown })[]; readonly abi: { readonly source: "given" | "config" | "standard"; readonly name: string; readonly guessed: boolean } } }; readonly meta: Meta }
  }
  /** The events of one transaction. */
  readonly "/transactions/{hash}/events": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly hash: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly address: string | null; readonly topic0: string | null; readonly topic1: string | null; readonly topic2: string | null; readonly topic3: string | null; readonly data: string | null; readonly decoded: null | { readonly name: string; readonly signature: string; readonly args: readonly ({ readonly name: string; readonly type: string; readonly value: unknown; readonly indexed: boolean; readonly hashed?: boolean })[]; readonly abi: { readonly source: "given" | "config" | "standard"; readonly name: string } } })[]; readonly meta: Meta }
  }
  /** The transfers of NFTs in one transaction. */
  readonly "/transactions/{hash}/nft-transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly hash: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly batch_index: number; readonly contract_address: string; readonly standard: string; readonly operator: string | null; readonly from_address: string; readonly to_address: string; readonly token_id: string; readonly amount: string; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
  /** One transaction and its receipt with its logs, as the node sent them. */
  readonly "/transactions/{hash}/raw": {
    readonly paged: false
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly hash: string }
    readonly answer: { readonly data: { readonly transaction: {  }; readonly receipt: null | {  } }; readonly meta: Meta }
  }
  /** The transfers of fungible tokens in one transaction. */
  readonly "/transactions/{hash}/transfers": {
    readonly paged: true
    readonly args: { readonly min_height?: Digits; readonly min_block_hash?: string; readonly from_height?: Digits; readonly to_height?: Digits; readonly from_time?: string; readonly to_time?: string; readonly order?: "asc" | "desc"; readonly limit?: number; readonly cursor?: string; readonly hash: string }
    readonly answer: { readonly data: readonly ({ readonly block_height: string; readonly transaction_index: number; readonly transaction_hash: string; readonly event_index: number; readonly timestamp: string; readonly contract_address: string; readonly from_address: string; readonly to_address: string; readonly amount: string; readonly decimals: number | null; readonly symbol: string | null; readonly kind: string })[]; readonly meta: Meta }
  }
}
