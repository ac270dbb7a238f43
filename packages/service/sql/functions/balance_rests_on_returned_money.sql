-- Whether money that remitters' banks have taken back was put into a balance and is no longer there, and that is not decided yet.
create or replace function balance_rests_on_returned_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select exists (
    select from reconciliation_exceptions x
    join deposit_allocations a on a.deposit_id = x.deposit_id and a.transaction_id is null
    join deposits d on d.id = a.deposit_id
    where x.status = 'open' and x.type = 'returned' and a.customer_id = of_customer and d.currency = of_currency
  ) and balance_is_unbacked(of_customer, of_currency)
$$;
