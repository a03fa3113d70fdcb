-- The same for the derived tables: see raw/0009_api.sql. Tables of workers are created later, by the user who migrates.

do $$
begin
  begin
    if not exists (select from pg_roles where rolname = 'tidemark_read') then
      create role tidemark_read nologin;
    end if;
  exception when duplicate_object or unique_violation or insufficient_privilege then null;
  end;
  if exists (select from pg_roles where rolname = 'tidemark_read') then
    grant usage on schema app to tidemark_read;
    grant select on all tables in schema app to tidemark_read;
    alter default privileges in schema app grant select on tables to tidemark_read;
  end if;
end $$;
