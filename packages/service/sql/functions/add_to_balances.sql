-- Adds to balances, which are named once each and in the order of their key: so everybody locks them in the same order. Most are
-- there: changing what is there writes a quarter less of the log than an upsert, which locks each row before it changes it. When one is
-- missing, those that were locked are let go before it is made: who holds some while he makes others waits in a circle with somebody who
-- has made those and now wants the first. Answers how many it added to.
create or replace function add_to_balances(customer_ids uuid[], accounts text[], currencies text[], amounts numeric[]) returns int
-- Rows are found by the key in the order in which they are named, or all of them are read in the order of the key: both
-- lock in that order, and other joins would not.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  changed int;
begin
  for attempt in 1..2 loop
    begin
      update balances b set balance = b.balance + a.amount
      from unnest(customer_ids, accounts, currencies, amounts) as a (customer_id, account, currency, amount)
      where b.customer_id = a.customer_id and b.account = a.account and b.currency = a.currency;
      get diagnostics changed = row_count;
      if changed = cardinality(customer_ids) then return changed; end if;
      raise exception 'added to % of % balances', changed, cardinality(customer_ids) using errcode = 'FQB00';
    exception when sqlstate 'FQB00' then
      if attempt = 2 then raise; end if;
    end;
    insert into balances (customer_id, account, currency, balance)
    select a.customer_id, a.account, a.currency, 0
    from unnest(customer_ids, accounts, currencies) with ordinality as a (customer_id, account, currency, n)
    where not exists (
      select from balances b where b.customer_id = a.customer_id and b.account = a.account and b.currency = a.currency)
    order by a.n
    on conflict (customer_id, account, currency) do nothing;
  end loop;
end $$;
