-- Why: people know whom an address belongs to, and the chain does not say it. Names that operators give are searched like those that
-- contracts give themselves.

create table app.address_labels (
  address bytea primary key,
  -- One line, fit to be shown.
  label text not null check (char_length(label) between 1 and 100),
  created_by text not null,
  updated_at timestamptz not null default clock_timestamp()
);

alter table app.search_terms drop constraint search_terms_field_check;
alter table app.search_terms add constraint search_terms_field_check check (field in ('name', 'symbol', 'label'));

-- A label is found however many contracts call themselves the same.
create index search_terms_labels_whole on app.search_terms (term) where word = 0 and field = 'label';
create index search_terms_labels_words on app.search_terms (term) where word > 0 and field = 'label';

-- Leaves the terms of labels alone.
create or replace function app.follow_token_metadata() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from app.search_terms where address = old.contract_address and field in ('name', 'symbol');
  end if;
  if tg_op <> 'DELETE' then
    insert into app.search_terms (address, field, word, term)
    select new.contract_address, field, terms.word, terms.term
    from (values ('name', new.name), ('symbol', new.symbol)) as shown (field, text), app.search_terms_of(shown.text) as terms;
  end if;
  return null;
end $$;

create function app.follow_address_labels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from app.search_terms where address = old.address and field = 'label';
  end if;
  if tg_op <> 'DELETE' then
    insert into app.search_terms (address, field, word, term)
    select new.address, 'label', terms.word, terms.term from app.search_terms_of(new.label) as terms;
  end if;
  return null;
end $$;

create trigger follow_address_labels after insert or update or delete on app.address_labels
  for each row execute function app.follow_address_labels();
