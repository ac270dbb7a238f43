-- Whether a balance is less than what was brought into it by deposits that the bank's statements lack, or that their remitters' banks have
-- taken back and nobody has decided on. Of neither is anything there, so what is paid from it is covered by the rest: they count together.
create or replace function balance_is_unbacked(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select balance_brought_by(array(
    select e.deposit_id from entry_details e where e.missing_since is not null
    union
    select x.deposit_id from reconciliation_exceptions x where x.status = 'open' and x.type = 'returned'
  ), of_customer, of_currency) > coalesce((
    select -balance from balances where customer_id = of_customer and account = 'customer_balance' and currency = of_currency
  ), 0)
$$;
