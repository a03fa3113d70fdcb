-- The API reads through a role of its own. It is created where the migrating user may create roles; elsewhere the
-- operator guide says what to run. Default privileges cover tables that are created later, such as users' tables.
-- The key signs cursors: it is in the store, so that every process accepts the cursors of the others.

create table raw.api_keys (
  name text primary key,
  secret bytea not null
);

insert into raw.api_keys (name, secret)
values ('cursor', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

do $$
begin
  -- Another database of the same server may be creating it at this moment.
  begin
    if not exists (select from pg_roles where rolname = 'tidemark_read') then
      create role tidemark_read nologin;
    end if;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  if exists (select from pg_roles where rolname = 'tidemark_read') then
    grant usage on schema raw to tidemark_read;
    grant select on all tables in schema raw to tidemark_read;
    alter default privileges in schema raw grant select on tables to tidemark_read;
  end if;
end $$;
