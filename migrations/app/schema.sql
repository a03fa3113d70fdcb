-- What the migrations of this folder amount to, for reading and review.
-- Rewritten by: UPDATE_SCHEMA=1 npx vitest run src/postgres/describe-schema.test.ts

create table app.audit_log (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  actor text not null,
  action text not null,
  details jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table app.chain_state (
  singleton boolean not null default true,
  chain_name text not null,
  chain_id numeric(78,0) not null,
  genesis_hash bytea not null,
  start_height bigint not null,
  chain_epoch bigint not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint chain_state_pkey PRIMARY KEY (singleton),
  constraint chain_state_singleton_check CHECK (singleton)
);

create table app.contract_code (
  code_hash bytea not null,
  code_text text not null,
  constraint contract_code_pkey PRIMARY KEY (code_hash)
);

create table app.coverage (
  worker_type text not null,
  heights int8multirange not null default '{}'::int8multirange,
  skipped int8multirange not null default '{}'::int8multirange,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint coverage_pkey PRIMARY KEY (worker_type),
  constraint coverage_check CHECK (isempty((heights * skipped)))
);

create table app.raw_coverage (
  singleton boolean not null default true,
  heights int8multirange not null default '{}'::int8multirange,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint raw_coverage_pkey PRIMARY KEY (singleton),
  constraint raw_coverage_singleton_check CHECK (singleton)
);

create table app.rollbacks (
  id uuid not null,
  epoch bigint not null,
  removed int8range not null,
  ancestor_hash bytea,
  reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint rollbacks_pkey PRIMARY KEY (id)
);

create table app.worker_leases (
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

CREATE INDEX worker_leases_finished ON app.worker_leases USING btree (completed_at) WHERE (status = 'COMPLETED'::text);

CREATE INDEX worker_leases_unfinished ON app.worker_leases USING btree (worker_type, from_height) WHERE (status <> 'COMPLETED'::text);

create view app.indexing_checkpoints as select
  worker_name text,
  last_height bigint,
  updated_at timestamp with time zone;
