-- Whether such money was put into a balance and is no longer there: something was paid from it.
create or replace function balance_rests_on_missing_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select exists (
    select from entry_details e
    join deposit_allocations a on a.deposit_id = e.deposit_id and a.transaction_id is null
    join deposits d on d.id = a.deposit_id
    where e.missing_since is not null and a.customer_id = of_customer and d.currency = of_currency
  ) and balance_is_unbacked(of_customer, of_currency)
$$;
