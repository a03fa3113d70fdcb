-- Why: who may do what, when, and how anyone can tell. Leases are unfinished work, coverage is the only truth about what
-- is done, chain_state pins the chain and carries its epoch, rollbacks are never forgotten. See src/coordination/PROTOCOL.md.

create extension if not exists btree_gist;

create table raw.chain_state (
  singleton boolean primary key default true check (singleton),
  chain_name text not null,
  chain_id numeric(78, 0) not null,
  genesis_hash bytea not null,
  start_height int8 not null,
  -- Where the live stretch first opened; holes above it are filled before older history.
  live_from int8,
  head_height int8,
  head_hash bytea,
  head_seen_at timestamptz,
  followed_by text,
  followed_at timestamptz,
  -- Never lowered: what was final once is not rolled back without a person.
  finalized_height int8,
  chain_epoch int8 not null default 0,
  -- The one open rollback intent, if any.
  intent_id uuid,
  intent_epoch int8,
  intent_removed int8range,
  intent_ancestor_hash bytea,
  created_at timestamptz not null default clock_timestamp(),
  check ((intent_id is null) = (intent_epoch is null) and (intent_id is null) = (intent_removed is null))
);

create table raw.rollbacks (
  id uuid primary key,
  epoch int8 not null,
  removed int8range not null,
  ancestor_hash bytea,
  reason text,
  created_at timestamptz not null default clock_timestamp()
);

create table raw.coverage (
  worker_type text primary key,
  heights int8multirange not null default '{}',
  skipped int8multirange not null default '{}',
  updated_at timestamptz not null default clock_timestamp(),
  check (isempty(heights * skipped))
);

create table raw.worker_leases (
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
create index worker_leases_unfinished on raw.worker_leases (worker_type, from_height) where status <> 'COMPLETED';
create index worker_leases_finished on raw.worker_leases (completed_at) where status = 'COMPLETED';

-- Who is running, as each process last said of itself: for people and the stall doctor, read by no decision.
create table raw.processes (
  id uuid primary key,
  host text not null,
  pid int4 not null,
  roles text[] not null,
  version text not null,
  http_url text,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  state jsonb not null default '{}'
);

-- What operators did: skips, retries, rollbacks.
create table raw.audit_log (
  id int8 generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  details jsonb not null
);

create view raw.indexing_checkpoints as
select
  coverage.worker_type as worker_name,
  -- The end of the component that holds the chain's start, never the highest height reached; null when nothing is complete.
  (select upper(part) - 1
     from unnest(coverage.heights + coverage.skipped) as part
    where part @> chain_state.start_height) as last_height,
  coverage.updated_at
from raw.coverage
cross join raw.chain_state;
