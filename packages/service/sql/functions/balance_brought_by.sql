-- What deposits have brought into a balance: what was put into it of them, and the proceeds of the trades that they have paid.
create or replace function balance_brought_by(of_deposits uuid[], of_customer uuid, of_currency text) returns numeric language sql stable as $$
  select coalesce((
    select sum(a.allocated_minor) from deposit_allocations a join deposits d on d.id = a.deposit_id
    where a.deposit_id = any (of_deposits) and a.customer_id = of_customer and a.transaction_id is null and d.currency = of_currency
  ), 0) + coalesce((
    select sum(t.buy_minor) from transactions t
    where t.customer_id = of_customer and t.status = 'settled' and t.proceeds = 'balance' and t.buy_currency = of_currency
      and t.id in (
        select a.transaction_id from deposit_allocations a where a.deposit_id = any (of_deposits) and a.customer_id = of_customer)
  ), 0)
$$;
