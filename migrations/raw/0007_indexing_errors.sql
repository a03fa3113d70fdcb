-- Why: what keeps a block from being stored is worth as much to a person as what keeps a worker from deriving it, and is kept the same way.
-- It lies with raw, so that it can be written while the app database cannot be reached.

create table raw.indexing_errors (
  worker_name text not null,
  block_height int8 not null,
  transaction_id bytea,
  error_hash bytea not null,
  error_message text not null,
  -- FATAL: a person has to do something. WARN: it is tried again by itself.
  severity text not null check (severity in ('WARN', 'FATAL')),
  resolved boolean not null default false,
  seen int8 not null default 1,
  raw_data bytea check (octet_length(raw_data) <= 4096),
  raw_ref text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- An error of a block as a whole has no transaction, and is one error all the same.
  constraint indexing_errors_key unique nulls not distinct (worker_name, block_height, transaction_id, error_hash)
);

-- For commits, which resolve what is open in their range.
create index indexing_errors_open on raw.indexing_errors (worker_name, block_height) where not resolved;
-- For people.
create index indexing_errors_triage on raw.indexing_errors (resolved, worker_name, created_at desc);
create index indexing_errors_height on raw.indexing_errors (block_height);
