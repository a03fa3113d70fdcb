-- Why: a reorganisation that may not be rolled back by itself (too deep, or below finality) halts ingestion until a person decides; and the
-- depth of a rollback is counted from the highest height ever covered, so that many small ones cannot eat history.

alter table raw.chain_state
  add column halted_at timestamptz,
  add column halt_reason text,
  -- Where the node's chain parts from what is stored, as far as it was looked at.
  add column halt_height int8;

alter table raw.rollbacks add column highest_height int8;
