-- A day was closed by what was committed ten minutes after its end. What was posted to it and committed later was in no
-- closing balance, for ever. Now a day is fenced first: from then on nobody begins to post to it; it is closed when those
-- who had begun before have ended.
alter table ledger_closing add column fenced_through date;
update ledger_closing set fenced_through = closed_through;
alter table ledger_closing add constraint ledger_days_are_fenced
  check (closed_through is null or (fenced_through is not null and closed_through <= fenced_through));

-- Each posting holds a lock of its day, shared with all others, until it has committed: nobody waits for anybody, and who
-- closes the day sees who is still there. 7101 is the first part of these locks' keys, the day the second.
create function ledger_day_key(day date) returns int language sql immutable strict return day - '1900-01-01'::date;

-- `firmquote.open_from` is for who took the lock before and looked at the fence then: it holds for one statement.
create function post_to_open_days() returns trigger language plpgsql as $$
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
create trigger journal_has_open_days after insert on journal_entries referencing new table as written
  for each statement execute function post_to_open_days();

-- Whether somebody has posted to a day up to this one, and has not ended yet.
create function is_posted_to(through date) returns boolean language sql volatile strict as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.classid = 7101 and l.objsubid = 2 and l.objid::bigint <= ledger_day_key(through)
      and l.database = (select d.oid from pg_database d where d.datname = current_database()))
$$;

-- As before; what comes too late for its day is booked on the first that is open, with an id of then. The days are locked
-- before the fence is looked at, so that none is put up while this waits for a balance.
create or replace function post_entries(batch json) returns void language plpgsql as $$
declare
  entries journal_entries[];
  open_from timestamptz;
begin
  select array_agg(b) into entries from json_populate_recordset(null::journal_entries, batch) b;
  perform pg_advisory_xact_lock_shared(7101, ledger_day_key(d.day))
  from (select distinct (e.at at time zone 'UTC')::date as day from unnest(entries) e) d;
  select coalesce((c.fenced_through + 1)::timestamp at time zone 'UTC', '-infinity') into open_from from ledger_closing c;
  -- What is moved to the first open day has no lock of it yet, and is looked at by the trigger like anything else.
  if not exists (select from unnest(entries) e where e.at < open_from) then
    perform set_config('firmquote.open_from', open_from::text, true);
  end if;
  with written as (
    insert into journal_entries (customer_id, id, kind, at, transaction_id, deposit_id, withdrawal_id, accounts, currencies, amounts)
    select e.customer_id,
           case when e.at < open_from then (left(uuid_floor(open_from)::text, 13) || substr(e.id::text, 14))::uuid else e.id end,
           e.kind, greatest(e.at, open_from), e.transaction_id, e.deposit_id, e.withdrawal_id, e.accounts, e.currencies, e.amounts
    from unnest(entries) e
    returning customer_id, accounts, currencies, amounts
  )
  insert into balances (customer_id, account, currency, balance)
  select w.customer_id, p.account, p.currency, sum(p.amount)
  from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
  group by w.customer_id, p.account, p.currency
  order by w.customer_id, p.account, p.currency
  on conflict (customer_id, account, currency) do update set balance = balances.balance + excluded.balance;
end $$;
