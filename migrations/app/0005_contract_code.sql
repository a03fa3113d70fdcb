-- Why: which code a contract runs is not in blocks. It is what a node answered about its address at one block: an observation, like names
-- of tokens, kept beside the derived tables and outside their fence. The code itself is in app.contract_code, once for all contracts that have it.

create table app.contract_code_hashes (
  address bytea primary key,
  -- queued: not asked yet. answered: there is code. empty: there is none, as of the block asked at. failed: the node had no answer
  -- about this contract, though it answered about others.
  status text not null default 'queued' check (status in ('queued', 'answered', 'empty', 'failed')),
  asked_at_height int8,
  block_hash bytea,
  -- Keccak-256; null where there is no code.
  code_hash bytea references app.contract_code (code_hash),
  code_bytes int4,
  attempts int4 not null default 0,
  -- When it is due. In the future it is also a claim, or the wait after an attempt; null: nothing is left to ask.
  next_attempt_at timestamptz,
  check ((status = 'queued') = (asked_at_height is null)),
  check ((asked_at_height is null) = (block_hash is null)),
  check ((status = 'answered') = (code_hash is not null)),
  check ((code_hash is null) = (code_bytes is null)),
  check ((status in ('answered', 'empty')) = (next_attempt_at is null))
);

-- Rows that are answered are not in it.
create index contract_code_hashes_due on app.contract_code_hashes (next_attempt_at) where next_attempt_at is not null;
-- For rollbacks.
create index contract_code_hashes_asked on app.contract_code_hashes (asked_at_height) where asked_at_height is not null;
-- Who else runs this code.
create index contract_code_hashes_code_hash on app.contract_code_hashes (code_hash) where code_hash is not null;

-- Heights of meta_worker's coverage whose deployments are queued.
create table app.contract_code_queue (
  singleton boolean primary key default true check (singleton),
  heights int8multirange not null default '{}'
);

insert into app.contract_code_queue (singleton) values (true);
