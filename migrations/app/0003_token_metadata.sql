-- Why: names, symbols and decimals are not in blocks. They are what a node answered about a contract at one block: observations, kept beside the derived tables
-- and outside their fence. Asking is queued here too, so that finding what to ask next never looks at what is answered.

create table app.token_metadata (
  contract_address bytea primary key,
  -- queued: not asked yet. answered: something came back for at least one kind. silent: the contract reverts or says nothing.
  -- failed: the node had no answer about this contract, though it answered about others.
  status text not null default 'queued' check (status in ('queued', 'answered', 'silent', 'failed')),
  asked_at_height int8,
  block_hash bytea,
  -- What came back, byte for byte; null where nothing did. The text beside it is for people and is made of it.
  name_raw bytea check (octet_length(name_raw) <= 65536),
  name text check (char_length(name) <= 256),
  symbol_raw bytea check (octet_length(symbol_raw) <= 65536),
  symbol text check (char_length(symbol) <= 256),
  decimals_raw bytea check (octet_length(decimals_raw) <= 65536),
  decimals int2 check (decimals between 0 and 255),
  -- An answer was longer than 65,536 bytes: its start is kept.
  truncated boolean not null default false,
  attempts int4 not null default 0,
  -- When it is due. In the future it is also a claim, or the wait after an attempt; null: nothing is left to ask.
  next_attempt_at timestamptz,
  check ((status = 'queued') = (asked_at_height is null)),
  check ((asked_at_height is null) = (block_hash is null)),
  check ((status = 'answered') = (next_attempt_at is null))
);

-- Rows that are answered are not in it: with a million of those and nothing due, a look costs one page.
create index token_metadata_due on app.token_metadata (next_attempt_at) where next_attempt_at is not null;
-- For rollbacks.
create index token_metadata_asked on app.token_metadata (asked_at_height) where asked_at_height is not null;

-- Heights of token_metadata_worker's coverage whose contracts are queued. What is covered and not in here is all there is to look at.
create table app.token_metadata_queue (
  singleton boolean primary key default true check (singleton),
  heights int8multirange not null default '{}'
);

insert into app.token_metadata_queue (singleton) values (true);
