-- What the migrations of this folder amount to, for reading and review.
-- Rewritten by: UPDATE_SCHEMA=1 npx vitest run test/support/describe-schema.test.ts

create table raw.api_keys (
  name text not null,
  secret bytea not null,
  constraint api_keys_pkey PRIMARY KEY (name)
);

create table raw.audit_log (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  action text not null,
  details jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table raw.block_lookup (
  id bytea not null,
  height bigint not null,
  "timestamp" timestamp with time zone not null,
  constraint block_lookup_pkey PRIMARY KEY (id)
);

create table raw.blocks (
  height bigint not null,
  hash bytea not null,
  parent_hash bytea not null,
  "timestamp" timestamp with time zone not null,
  transaction_count integer not null,
  event_count integer not null,
  miner bytea,
  gas_limit numeric(78,0),
  gas_used numeric(78,0),
  base_fee_per_gas numeric(78,0),
  state_root bytea,
  transactions_root bytea,
  receipts_root bytea,
  extra bytea,
  constraint blocks_pkey PRIMARY KEY (height)
) partition by range (height);

create table raw.chain_state (
  singleton boolean not null default true,
  chain_name text not null,
  chain_id numeric(78,0) not null,
  genesis_hash bytea not null,
  start_height bigint not null,
  live_from bigint,
  head_height bigint,
  head_hash bytea,
  head_seen_at timestamp with time zone,
  followed_by text,
  followed_at timestamp with time zone,
  finalized_height bigint,
  chain_epoch bigint not null default 0,
  intent_id uuid,
  intent_epoch bigint,
  intent_removed int8range,
  intent_ancestor_hash bytea,
  created_at timestamp with time zone not null default clock_timestamp(),
  halted_at timestamp with time zone,
  halt_reason text,
  halt_height bigint,
  compared_server timestamp with time zone,
  intent_reason text,
  follower_name text,
  intent_opened_at timestamp with time zone,
  constraint chain_state_pkey PRIMARY KEY (singleton),
  constraint chain_state_check CHECK ((((intent_id IS NULL) = (intent_epoch IS NULL)) AND ((intent_id IS NULL) = (intent_removed IS NULL)))),
  constraint chain_state_singleton_check CHECK (singleton)
);

create table raw.collections (
  block_height bigint not null,
  id bytea not null,
  collection_index integer not null,
  transaction_ids bytea[] not null,
  constraint collections_pkey PRIMARY KEY (block_height, id)
) partition by range (block_height);

create table raw.coverage (
  worker_type text not null,
  heights int8multirange not null default '{}'::int8multirange,
  skipped int8multirange not null default '{}'::int8multirange,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint coverage_pkey PRIMARY KEY (worker_type),
  constraint coverage_check CHECK (isempty((heights * skipped)))
);

create table raw.events (
  block_height bigint not null,
  transaction_index integer not null,
  event_index integer not null,
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
  constraint events_pkey PRIMARY KEY (block_height, transaction_index, event_index)
) partition by range (block_height);

create table raw.execution_results (
  block_height bigint not null,
  id bytea not null,
  payload jsonb,
  constraint execution_results_pkey PRIMARY KEY (block_height, id)
) partition by range (block_height);

create table raw.indexing_errors (
  worker_name text not null,
  block_height bigint not null,
  transaction_id bytea,
  error_hash bytea not null,
  error_message text not null,
  severity text not null,
  resolved boolean not null default false,
  seen bigint not null default 1,
  raw_data bytea,
  raw_ref text,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint indexing_errors_key UNIQUE NULLS NOT DISTINCT (worker_name, block_height, transaction_id, error_hash),
  constraint indexing_errors_raw_data_check CHECK ((octet_length(raw_data) <= 4096)),
  constraint indexing_errors_severity_check CHECK ((severity = ANY (ARRAY['WARN'::text, 'FATAL'::text])))
);

create table raw.processes (
  id uuid not null,
  host text not null,
  pid integer not null,
  roles text[] not null,
  version text not null,
  http_url text,
  started_at timestamp with time zone not null default clock_timestamp(),
  seen_at timestamp with time zone not null default clock_timestamp(),
  state jsonb not null default '{}'::jsonb,
  constraint processes_pkey PRIMARY KEY (id)
);

create table raw.rate_shares (
  process_id uuid not null,
  calls_per_second double precision not null,
  wanted double precision not null,
  expires_at timestamp with time zone not null,
  constraint rate_shares_pkey PRIMARY KEY (process_id)
);

create table raw.rollbacks (
  id uuid not null,
  epoch bigint not null,
  removed int8range not null,
  ancestor_hash bytea,
  reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  highest_height bigint,
  opened_at timestamp with time zone,
  constraint rollbacks_pkey PRIMARY KEY (id)
);

create table raw.scripts (
  script_hash bytea not null,
  script_text text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint scripts_pkey PRIMARY KEY (script_hash)
);

create table raw.status_series (
  interval_seconds integer not null,
  at timestamp with time zone not null,
  head_height bigint,
  workers jsonb not null,
  constraint status_series_pkey PRIMARY KEY (interval_seconds, at)
);

create table raw.transactions (
  block_height bigint not null,
  id bytea not null,
  transaction_index integer not null,
  type smallint,
  status smallint,
  from_address bytea,
  to_address bytea,
  nonce numeric(78,0),
  value numeric(78,0),
  gas_limit numeric(78,0),
  gas_used numeric(78,0),
  cumulative_gas_used numeric(78,0),
  gas_price numeric(78,0),
  max_fee_per_gas numeric(78,0),
  max_priority_fee_per_gas numeric(78,0),
  effective_gas_price numeric(78,0),
  contract_address bytea,
  input bytea,
  signature bytea,
  event_count integer not null,
  script_hash bytea,
  arguments jsonb,
  error_message text,
  events_sample text,
  extra bytea,
  constraint transactions_pkey PRIMARY KEY (block_height, id)
) partition by range (block_height);

create table raw.tx_lookup (
  id bytea not null,
  block_height bigint not null,
  tx_index integer not null,
  "timestamp" timestamp with time zone not null,
  constraint tx_lookup_pkey PRIMARY KEY (id, block_height)
);

create table raw.worker_leases (
  id bigint not null generated always as identity,
  worker_type text not null,
  from_height bigint not null,
  to_height bigint not null,
  status text not null,
  attempt integer not null default 0,
  epoch uuid not null,
  leased_by text,
  backend_pid integer,
  backend_start timestamp with time zone,
  lease_ttl_ms integer not null,
  leased_at timestamp with time zone,
  lease_expires_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  last_error text,
  last_error_code text,
  last_error_at timestamp with time zone,
  completed_at timestamp with time zone,
  constraint worker_leases_pkey PRIMARY KEY (id),
  constraint worker_leases_check CHECK ((from_height < to_height)),
  constraint worker_leases_no_overlap EXCLUDE USING gist (worker_type WITH =, int8range(from_height, to_height) WITH &&) WHERE ((status <> 'COMPLETED'::text)),
  constraint worker_leases_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'COMPLETED'::text, 'FAILED'::text, 'DEAD'::text])))
);

CREATE INDEX indexing_errors_height ON raw.indexing_errors USING btree (block_height);

CREATE INDEX indexing_errors_open ON raw.indexing_errors USING btree (worker_name, block_height) WHERE (NOT resolved);

CREATE INDEX indexing_errors_triage ON raw.indexing_errors USING btree (resolved, worker_name, created_at DESC);

CREATE INDEX worker_leases_finished ON raw.worker_leases USING btree (completed_at) WHERE (status = 'COMPLETED'::text);

CREATE INDEX worker_leases_unfinished ON raw.worker_leases USING btree (worker_type, from_height) WHERE (status <> 'COMPLETED'::text);

create view raw.indexing_checkpoints as select
  worker_name text,
  last_height bigint,
  updated_at timestamp with time zone;

create function raw.end_backend(pid integer) returns boolean language plpgsql volatile as $$
begin
  return pg_terminate_backend(pid);
exception when insufficient_privilege then
  return null;
end $$;
