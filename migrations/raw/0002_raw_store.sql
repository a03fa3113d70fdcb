-- Why: every block of the chain, partitioned by height. Keys start with the height, so a rollback and a page in chain
-- order both touch one end of one partition. Columns only Flow uses are nullable: an EVM row pays a bit of its null bitmap.

create table raw.blocks (
  height int8 not null,
  hash bytea not null,
  parent_hash bytea not null,
  timestamp timestamptz not null,
  transaction_count int4 not null,
  event_count int4 not null,
  miner bytea,
  gas_limit numeric(78, 0),
  gas_used numeric(78, 0),
  base_fee_per_gas numeric(78, 0),
  state_root bytea,
  transactions_root bytea,
  receipts_root bytea,
  -- JSON text of all other header fields, as bytes: it may hold text that no text type accepts.
  extra bytea,
  primary key (height)
) partition by range (height);

create table raw.transactions (
  block_height int8 not null,
  id bytea not null,
  transaction_index int4 not null,
  type int2,
  status int2,
  from_address bytea,
  to_address bytea,
  nonce numeric(78, 0),
  value numeric(78, 0),
  gas_limit numeric(78, 0),
  gas_used numeric(78, 0),
  cumulative_gas_used numeric(78, 0),
  gas_price numeric(78, 0),
  max_fee_per_gas numeric(78, 0),
  max_priority_fee_per_gas numeric(78, 0),
  effective_gas_price numeric(78, 0),
  contract_address bytea,
  input bytea,
  -- r (32 bytes), s (32 bytes), v.
  signature bytea,
  event_count int4 not null,
  script_hash bytea,
  arguments jsonb,
  error_message text,
  -- With DENORMALIZE_EVENTS=true: a truncated copy of the events, for debugging only.
  events_sample text,
  -- JSON text of the fields that the columns do not reproduce exactly, as bytes.
  extra bytea,
  primary key (block_height, id)
) partition by range (block_height);

create index transactions_block_height_transaction_index on raw.transactions (block_height, transaction_index);

-- EVM logs are events.
create table raw.events (
  block_height int8 not null,
  transaction_index int4 not null,
  event_index int4 not null,
  transaction_id bytea not null,
  address bytea,
  topic0 bytea,
  topic1 bytea,
  topic2 bytea,
  topic3 bytea,
  data bytea,
  type text,
  payload jsonb,
  payload_hash bytea,
  payload_ref text,
  extra bytea,
  primary key (block_height, transaction_index, event_index)
) partition by range (block_height);

create table raw.collections (
  block_height int8 not null,
  id bytea not null,
  collection_index int4 not null,
  transaction_ids bytea[] not null,
  primary key (block_height, id)
) partition by range (block_height);

create table raw.execution_results (
  block_height int8 not null,
  id bytea not null,
  payload jsonb,
  primary key (block_height, id)
) partition by range (block_height);

-- An id can occur at more than one height (Flow's system transactions do); the newest is answered first.
create table raw.tx_lookup (
  id bytea not null,
  block_height int8 not null,
  tx_index int4 not null,
  timestamp timestamptz not null,
  primary key (id, block_height)
);

create table raw.block_lookup (
  id bytea not null primary key,
  height int8 not null,
  timestamp timestamptz not null
);

create table raw.scripts (
  script_hash bytea primary key,
  script_text text not null,
  created_at timestamptz not null default clock_timestamp()
);
