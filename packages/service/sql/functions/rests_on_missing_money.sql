-- Whether a trade was paid by a deposit of such an entry.
create or replace function rests_on_missing_money(of_customer uuid, of_trade uuid) returns boolean language sql stable as $$
  select exists (
    select from entry_details e join deposit_allocations a on a.deposit_id = e.deposit_id
    where e.missing_since is not null and a.customer_id = of_customer and a.transaction_id = of_trade)
$$;
