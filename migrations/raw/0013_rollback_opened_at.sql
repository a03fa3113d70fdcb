-- Why: an operator asks how long a rollback took, and of the open one, since when it is open. Null where an older release opened it.

alter table raw.chain_state
  add column intent_opened_at timestamptz;

alter table raw.rollbacks
  add column opened_at timestamptz;
