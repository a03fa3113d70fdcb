-- Why: whoever was told of blocks has to be told when they are taken back. Written in the transaction that takes them back; ids are stable, so
-- that one sent twice is known for the same.

create table app.outbox (
  sequence int8 generated always as identity primary key,
  id uuid not null unique,
  kind text not null check (kind in ('rollback')),
  epoch int8 not null,
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp()
);
