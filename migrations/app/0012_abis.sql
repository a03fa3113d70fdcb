-- Why: transactions and events can be decoded only where a contract's interface is known, and operators know those of their contracts.

create table app.abis (
  id int8 generated always as identity primary key,
  -- Null: for any contract that has none of its own for a call or an event.
  address bytea,
  name text not null check (char_length(name) between 1 and 100),
  -- An array of entries, checked before it is stored.
  abi jsonb not null check (jsonb_typeof(abi) = 'array'),
  created_by text not null,
  updated_at timestamptz not null default clock_timestamp(),
  constraint abis_key unique nulls not distinct (address, name)
);
