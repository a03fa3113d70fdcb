-- Why: an index of the parent is built on each partition the moment it is attached, so it cannot be put off for a bulk load. Each
-- partition gets an index of its own instead, when it is made or once it is covered; see src/raw/index-builder.ts.

drop index raw.transactions_block_height_transaction_index;
