-- Why: the limit of calls a second to a provider holds over all processes of a chain. Each holds a share of it under a lease.

create table raw.rate_shares (
  process_id uuid primary key,
  -- What this process may use until then, and what it could use.
  calls_per_second float8 not null,
  wanted float8 not null,
  expires_at timestamptz not null
);
