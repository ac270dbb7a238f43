-- Adds to balances, which are named once each and in the order of their key: so everybody locks them in the same order. Most
-- are there: changing what is there writes a quarter less of the log than an upsert, which locks each row before it changes it.
-- Answers how many it added to.
create or replace function add_to_balances(customer_ids uuid[], accounts text[], currencies text[], amounts numeric[]) returns int
-- Rows are found by the key in the order in which they are named, or all of them are read in the order of the key: both
-- lock in that order, and other joins would not.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  changed int[];
begin
  with added as (
    update balances b set balance = b.balance + a.amount
    from unnest(customer_ids, accounts, currencies, amounts) with ordinality as a (customer_id, account, currency, amount, n)
    where b.customer_id = a.customer_id and b.account = a.account and b.currency = a.currency
    returning a.n
  )
  select array_agg(n) into changed from added;
  if coalesce(cardinality(changed), 0) < cardinality(customer_ids) then
    -- Somebody else may have made one since.
    insert into balances (customer_id, account, currency, balance)
    select a.customer_id, a.account, a.currency, a.amount
    from unnest(customer_ids, accounts, currencies, amounts) with ordinality as a (customer_id, account, currency, amount, n)
    where changed is null or a.n <> all (changed)
    order by a.n
    on conflict (customer_id, account, currency) do update set balance = balances.balance + excluded.balance;
  end if;
  return cardinality(customer_ids);
end $$;
