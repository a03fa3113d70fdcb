-- Why: names are searched by their beginning, by the beginning of a word and by a part, and never by looking at all of them. What contracts
-- call themselves is an observation, written and deleted beside the derived tables, so its search terms follow it by triggers: in the same
-- transaction, whichever release writes.

create table app.search_terms (
  address bytea not null,
  field text not null check (field in ('name', 'symbol')),
  -- 0: the whole text; else with which of its words the term begins.
  word int2 not null,
  term text collate "C" not null,
  primary key (address, field, word)
);
create index search_terms_whole on app.search_terms (term) where word = 0;
create index search_terms_words on app.search_terms (term) where word > 0;

-- Parts of words need trigrams. Without the extension (it is not installed, or may not be created) search finds beginnings of words only.
do $$
declare
  place text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when insufficient_privilege or feature_not_supported or undefined_file or unique_violation then null;
  end;
  select nspname into place from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  if place is not null then
    execute format('create index search_terms_trigrams on app.search_terms using gin (term %I.gin_trgm_ops) where word = 0', place);
  end if;
end $$;

-- What is compared, of names and of what is searched for: width, ligatures and case make no difference.
create function app.search_text(shown text) returns text language sql stable as $$
  select left(lower(case when getdatabaseencoding() = 'UTF8' then normalize(shown, nfkc) else shown end), 256)
$$;

-- Eight words at most: a hostile name must not cost more than it is worth.
create function app.search_terms_of(shown text) returns table (word int2, term text) language sql stable as $$
  with whole as (select app.search_text(shown) as text)
  select 0::int2, text from whole where text <> ''
  union all
  (select (row_number() over (order by at))::int2, left(substr(text, at), 64)
   from whole, generate_series(2, length(text)) as at
   where substr(text, at - 1, 1) !~ '[[:alnum:]]' and substr(text, at, 1) ~ '[[:alnum:]]'
   order by at limit 8)
$$;

create function app.follow_token_metadata() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from app.search_terms where address = old.contract_address;
  end if;
  if tg_op <> 'DELETE' then
    insert into app.search_terms (address, field, word, term)
    select new.contract_address, field, terms.word, terms.term
    from (values ('name', new.name), ('symbol', new.symbol)) as shown (field, text), app.search_terms_of(shown.text) as terms;
  end if;
  return null;
end $$;

create trigger follow_token_metadata after insert or update or delete on app.token_metadata
  for each row execute function app.follow_token_metadata();

insert into app.search_terms (address, field, word, term)
select contract_address, field, terms.word, terms.term
from app.token_metadata, lateral (values ('name', name), ('symbol', symbol)) as shown (field, text),
  app.search_terms_of(shown.text) as terms;
