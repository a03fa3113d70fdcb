-- Why: whoever reads of a rollback wants to know what for. The one under way carries its reason with it, since any process may finish it.

alter table raw.chain_state
  add column intent_reason text;
