-- Whether money that remitters' banks have taken back was put into a balance and is no longer there, and that is not decided yet.
create or replace function balance_rests_on_returned_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select coalesce((
    select sum(a.allocated_minor) from reconciliation_exceptions x
    join deposit_allocations a on a.deposit_id = x.deposit_id and a.transaction_id is null
    join deposits d on d.id = a.deposit_id
    where x.status = 'open' and x.type = 'returned' and a.customer_id = of_customer and d.currency = of_currency
  ), 0) > coalesce((
    select -balance from balances where customer_id = of_customer and account = 'customer_balance' and currency = of_currency
  ), 0)
$$;
