-- Whether a trade was paid by a deposit that its remitter's bank has taken back, and what becomes of that is not decided yet.
create or replace function rests_on_returned_money(of_customer uuid, of_trade uuid) returns boolean language sql stable as $$
  select exists (
    select from deposit_allocations a join reconciliation_exceptions x on x.deposit_id = a.deposit_id
    where a.customer_id = of_customer and a.transaction_id = of_trade and x.status = 'open' and x.type = 'returned')
$$;
