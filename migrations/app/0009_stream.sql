-- Why: clients follow a chain as it grows and is rolled back, and resume where they stopped. A number that a transaction draws from a
-- sequence is lost when it fails, and two transactions may commit the other way round. So entries are numbered by a counter in a row:
-- whoever draws a number holds the row until its transaction ends. The numbers have no gaps and are in the order of the commits.

alter table app.outbox
  alter column sequence drop identity,
  drop constraint outbox_kind_check,
  add constraint outbox_kind_check check (kind in ('rollback', 'block', 'watermark', 'status'));

create table app.outbox_state (
  singleton boolean primary key default true check (singleton),
  last_sequence int8 not null,
  -- The highest sequence that was pruned: who has read no further has missed something.
  pruned_sequence int8 not null,
  -- What the writer has told so far: the chain's epoch, the last block, the last watermark and status.
  chain_epoch int8,
  block_height int8,
  watermark text,
  status text
);

-- From the time in milliseconds: a store that was deleted and filled again never repeats a number that a client may still hold. What
-- was written before has no place in this count, and stays until it is pruned.
insert into app.outbox_state (last_sequence, pruned_sequence)
select first, first from (select floor(extract(epoch from clock_timestamp()) * 1000)::int8) as clock (first);

create function app.number_outbox_entry() returns trigger language plpgsql as $$
begin
  -- An entry that is there already takes no number: it would leave a gap.
  if exists (select from app.outbox where id = new.id) then
    return null;
  end if;
  update app.outbox_state set last_sequence = last_sequence + 1 returning last_sequence into strict new.sequence;
  return new;
end $$;

create trigger number_outbox_entry before insert on app.outbox for each row execute function app.number_outbox_entry();
