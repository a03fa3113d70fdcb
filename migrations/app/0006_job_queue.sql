-- Why: what contracts are called and which code they run was queued in two tables beside the answers, and a claim was a date in the future.
-- Now one queue serves both and whatever comes: a claim has a holder, an expiry and an epoch, and only its epoch settles it. What is
-- queued stays queued; answers keep their rows, and a contract that was never asked has none any more.

create table app.job_queue (
  id int8 generated always as identity primary key,
  queue text not null,
  subject text not null,
  -- Null: given up.
  due_at timestamptz default now(),
  attempts int4 not null default 0,
  -- Of the present claim.
  epoch uuid,
  holder text,
  expires_at timestamptz,
  unique (queue, subject),
  check ((epoch is null) = (holder is null)),
  check ((epoch is null) = (expires_at is null))
);

-- For claims: what is due, and what is held no longer.
create index job_queue_claimable on app.job_queue (queue, coalesce(expires_at, due_at));
-- For rollbacks, which end claims.
create index job_queue_held on app.job_queue (queue) where epoch is not null;

insert into app.job_queue (queue, subject, due_at, attempts)
select 'token_metadata', '0x' || encode(contract_address, 'hex'), next_attempt_at, attempts
  from app.token_metadata where next_attempt_at is not null
union all
select 'contract_code', '0x' || encode(address, 'hex'), next_attempt_at, attempts
  from app.contract_code_hashes where next_attempt_at is not null
 order by 3;

-- Heights of a worker's coverage whose contracts are queued. What is covered and not in here is all there is to look at.
create table app.queued_heights (
  queue text primary key,
  worker_type text not null,
  heights int8multirange not null default '{}'
);

insert into app.queued_heights (queue, worker_type, heights)
select 'token_metadata', 'token_metadata_worker', heights from app.token_metadata_queue
union all
select 'contract_code', 'meta_worker', heights from app.contract_code_queue;

drop table app.token_metadata_queue, app.contract_code_queue;

delete from app.token_metadata where status = 'queued';
-- With the columns go the index and the checks that name them.
alter table app.token_metadata
  drop column attempts,
  drop column next_attempt_at,
  drop constraint token_metadata_check,
  drop constraint token_metadata_check1,
  drop constraint token_metadata_status_check,
  alter column status drop default,
  alter column asked_at_height set not null,
  alter column block_hash set not null,
  add constraint token_metadata_status_check check (status in ('answered', 'silent', 'failed'));

delete from app.contract_code_hashes where status = 'queued';
alter table app.contract_code_hashes
  drop column attempts,
  drop column next_attempt_at,
  drop constraint contract_code_hashes_check,
  drop constraint contract_code_hashes_check1,
  drop constraint contract_code_hashes_status_check,
  alter column status drop default,
  alter column asked_at_height set not null,
  alter column block_hash set not null,
  add constraint contract_code_hashes_status_check check (status in ('answered', 'empty', 'failed'));
