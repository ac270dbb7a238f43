-- As before; what comes too late for its day is booked on the first that is open, with an id of then. The days are locked
-- before the fence is looked at, so that none is put up while this waits for a balance.
create or replace function post_entries(batch json) returns void language plpgsql as $$
declare
  entries journal_entries[];
  open_from timestamptz;
  sums record;
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
  select array_agg(s.customer_id) as customer_ids, array_agg(s.account) as accounts, array_agg(s.currency) as currencies,
         array_agg(s.amount) as amounts into sums
  from (
    select w.customer_id, p.account, p.currency, sum(p.amount) as amount
    from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
    group by w.customer_id, p.account, p.currency
    order by w.customer_id, p.account, p.currency
  ) s;
  perform add_to_balances(sums.customer_ids, sums.accounts, sums.currencies, sums.amounts);
end $$;
