-- Why: after a failover that lost commits, raw must store nothing before it was compared with app. Else it takes up blocks of another branch
-- where app still has what was derived from the lost ones, and the two look as if they agreed.

alter table raw.chain_state
  -- Start of the server on which raw was last found to agree with app; another one is another server, or one that was restarted.
  add column compared_server timestamptz;
