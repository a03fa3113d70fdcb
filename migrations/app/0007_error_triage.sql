-- Why: a severity should say whether a person has to do something, and people look for errors by state, worker and age, or by block.

alter table app.indexing_errors drop constraint indexing_errors_severity_check;
alter table app.indexing_errors alter column severity drop default;
update app.indexing_errors as error set severity = case
  when exists (select 1 from app.worker_leases as lease
    where lease.worker_type = error.worker_name and lease.from_height = error.block_height and lease.status = 'DEAD') then 'FATAL'
  else 'WARN' end;
-- FATAL: a person has to do something. WARN: it is tried again by itself.
alter table app.indexing_errors add constraint indexing_errors_severity_check check (severity in ('WARN', 'FATAL'));

create index indexing_errors_triage on app.indexing_errors (resolved, worker_name, created_at desc);
create index indexing_errors_height on app.indexing_errors (block_height);
