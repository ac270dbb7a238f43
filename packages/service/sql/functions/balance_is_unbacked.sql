-- Whether a balance is less than what was put into it by deposits that the bank's statements lack, or that their remitters' banks have taken
-- back and nobody has decided on. Of neither is anything there, so what is paid from it is covered by the rest: they count together.
create or replace function balance_is_unbacked(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select coalesce((
    select sum(a.allocated_minor)
    from (
      select e.deposit_id from entry_details e where e.missing_since is not null
      union
      select x.deposit_id from reconciliation_exceptions x where x.status = 'open' and x.type = 'returned'
    ) u
    join deposit_allocations a on a.deposit_id = u.deposit_id and a.transaction_id is null
    join deposits d on d.id = a.deposit_id
    where a.customer_id = of_customer and d.currency = of_currency
  ), 0) > coalesce((
    select -balance from balances where customer_id = of_customer and account = 'customer_balance' and currency = of_currency
  ), 0)
$$;
