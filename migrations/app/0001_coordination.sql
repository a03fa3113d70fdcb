-- Why: the same as in raw, for the workers that derive: who may do what, when, and how anyone can tell. Leases are unfinished work, coverage is the only truth about what
-- is done, chain_state pins the chain and carries its epoch, rollbacks are never forgotten. See src/coordination/PROTOCOL.md.

create extension if not exists btree_gist;

create table app.chain_state (
  singleton boolean primary key default true check (singleton),
  chain_name text not null,
  chain_id numeric(78, 0) not null,
  genesis_hash bytea not null,
  start_height int8 not null,
  chain_epoch int8 not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

-- What raw covers, as far as this database has heard: a hint for claims, never larger than the truth.
create table app.raw_coverage (
  singleton boolean primary key default true check (singleton),
  heights int8multirange not null default '{}',
  updated_at timestamptz not null default clock_timestamp()
);

create table app.rollbacks (
  id uuid primary key,
  epoch int8 not null,
  removed int8range not null,
  ancestor_hash bytea,
  reason text,
  created_at timestamptz not null default clock_timestamp()
);

create table app.coverage (
  worker_type text primary key,
  heights int8multirange not null default '{}',
  skipped int8multirange not null default '{}',
  updated_at timestamptz not null default clock_timestamp(),
  check (isempty(heights * skipped))
);

create table app.worker_leases (
  id int8 generated always as identity primary key,
  worker_type text not null,
  from_height int8 not null,
  to_height int8 not null,
  status text not null check (status in ('ACTIVE', 'COMPLETED', 'FAILED', 'DEAD')),
  attempt int4 not null default 0,
  -- The fencing token is (id, epoch): new at each claim, never issued twice, ended by every change of range or holder.
  epoch uuid not null,
  leased_by text,
  -- The backend that will commit this lease. Gone means a dead holder; ended by the reaper when the lease expires.
  backend_pid int4,
  backend_start timestamptz,
  lease_ttl_ms int4 not null,
  leased_at timestamptz,
  lease_expires_at timestamptz,
  next_attempt_at timestamptz,
  last_error text,
  last_error_code text,
  last_error_at timestamptz,
  completed_at timestamptz,
  check (from_height < to_height),
  constraint worker_leases_no_overlap
    exclude using gist (worker_type with =, int8range(from_height, to_height) with &&) where (status <> 'COMPLETED')
);

-- Claims, reaping and status read unfinished rows only, so finished ones cost them nothing.
create index worker_leases_unfinished on app.worker_leases (worker_type, from_height) where status <> 'COMPLETED';
create index worker_leases_finished on app.worker_leases (completed_at) where status = 'COMPLETED';

-- What operators did: skips, retries, rollbacks.
create table app.audit_log (
  id int8 generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  details jsonb not null
);

create view app.indexing_checkpoints as
select
  coverage.worker_type as worker_name,
  -- The end of the component that holds the chain's start, never the highest height reached; null when nothing is complete.
  (select upper(part) - 1
     from unnest(coverage.heights + coverage.skipped) as part
    where part @> chain_state.start_height) as last_height,
  coverage.updated_at
from app.coverage
cross join app.chain_state;

create table app.contract_code (
  code_hash bytea primary key,
  code_text text not null
);
