// What the kept stores have in common: the chain they were filled from, and the tables that users had beside ours.

/** The first blocks of it are in the store; an upgraded release fetches the others. */
export const keptChain = { blocks: 60, transactionsPerBlock: 3, logsPerBlock: 8, holders: 40, tokenIds: 20 } as const

/** Derived up to here. */
export const derivedTo = 40
/** Stored up to here. */
export const storedTo = 45

/** A worker of the user's own, in the release's own example. */
export const ownWorker = "whale_worker"
export const ownConfig = "examples/whale-transfers/tidemark.config.ts"

/** A schema of the user's, tables beside ours in app and public, and a view over ours. */
export const usersTables = `
  create schema shop;
  create table shop.orders (id int8 primary key, buyer bytea not null, note text);
  insert into shop.orders
    select height, miner, 'paid in block ' || height from raw.blocks where height between 10 and 20;
  create table app.labels (address bytea primary key, label text not null);
  insert into app.labels select distinct from_address, encode(from_address, 'hex') from raw.transactions;
  create table public.blocks (height int8 primary key, mine boolean not null);
  insert into public.blocks values (1, true), (2, false);
  create view shop.buyers as
    select orders.id, blocks.hash, labels.label
    from shop.orders join raw.blocks on blocks.height = orders.id
    left join app.labels on labels.address = orders.buyer;
`

/** One row for each of the user's relations, with a digest of its rows. */
export const digestUsersTables = `
  select 'shop.orders' as name, md5(string_agg(orders::text, '|' order by id)) as digest from shop.orders
  union all select 'app.labels', md5(string_agg(labels::text, '|' order by address)) from app.labels
  union all select 'public.blocks', md5(string_agg(blocks::text, '|' order by height)) from public.blocks
  union all select 'shop.buyers', md5(string_agg(buyers::text, '|' order by id)) from shop.buyers
  order by name
`
