-- `firmquote.open_from` is for who took the lock before and looked at the fence then: it holds for one statement.
create or replace function post_to_open_days() returns trigger language plpgsql as $$
declare
  open_from timestamptz;
begin
  perform pg_advisory_xact_lock_shared(7101, ledger_day_key(d.day))
  from (select distinct (w.at at time zone 'UTC')::date as day from written w) d;
  -- A statement of its own, after the lock: it sees every fence that does not see the lock.
  if coalesce(current_setting('firmquote.open_from', true), '') = '' then
    select (c.fenced_through + 1)::timestamp at time zone 'UTC' into open_from from ledger_closing c;
  else
    open_from := current_setting('firmquote.open_from')::timestamptz;
    perform set_config('firmquote.open_from', '', true);
  end if;
  if open_from is not null and exists (
    select from written w where w.at < open_from or w.id < case when isfinite(open_from) then uuid_floor(open_from) end
  ) then
    raise exception 'the day of a journal entry is closed; days from % on are open', (open_from at time zone 'UTC')::date
      using errcode = 'FQD01';
  end if;
  return null;
end $$;

create or replace trigger journal_has_open_days after insert on journal_entries referencing new table as written
  for each statement execute function post_to_open_days();
