-- Why: workers are declared in code and keep tables of their own, made at start. This records which ones this database was made for, so that a process with another declaration can
-- tell, whose each table is, so that a rollback misses none, and what went wrong, one row per distinct error.

create table app.workers (
  name text primary key,
  version int4 not null,
  -- Of the version, the tables, the folds and the dependencies; see src/workers/worker-hash.ts.
  hash text not null,
  -- What the hash is of: enough to undo the worker's rows in a process that does not declare it.
  definition jsonb not null,
  dependencies text[] not null,
  tables text[] not null,
  paused boolean not null default false,
  paused_reason text,
  -- Ranges at once over all processes; null: no limit.
  concurrency int4 check (concurrency > 0),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create table app.worker_tables (
  table_name text primary key,
  worker_name text not null references app.workers (name) on delete cascade,
  kind text not null check (kind in ('events', 'state', 'observations'))
);

create table app.indexing_errors (
  worker_name text not null,
  block_height int8 not null,
  transaction_id bytea,
  error_hash bytea not null,
  error_message text not null,
  severity text not null default 'error' check (severity in ('warning', 'error')),
  resolved boolean not null default false,
  seen int8 not null default 1,
  -- Bytes: what made a worker fail is often what no text type takes.
  raw_data bytea check (octet_length(raw_data) <= 4096),
  raw_ref text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- An error of a block as a whole has no transaction, and is one error all the same.
  constraint indexing_errors_key unique nulls not distinct (worker_name, block_height, transaction_id, error_hash)
);

create index indexing_errors_open on app.indexing_errors (worker_name, block_height) where not resolved;

-- The copy of raw's coverage becomes a row like any worker's, so that a gate is the same whatever it waits for.
insert into app.coverage (worker_type, heights)
select 'raw_ingester', coalesce((select heights from app.raw_coverage), '{}');

drop table app.raw_coverage;
