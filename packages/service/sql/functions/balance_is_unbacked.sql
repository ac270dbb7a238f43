-- Whether a balance is less than what was brought into it by deposits and returns that the bank's statements lack, or by deposits that their remitters' banks have
-- taken back and nobody has decided on. Of neither is anything there, so what is paid from it is covered by the rest: they count together.
create or replace function balance_is_unbacked(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select balance_brought_by(array(
    select m.deposit_id from missing_deposits() m
    union
    select x.deposit_id from reconciliation_exceptions x where x.status = 'open' and x.type = 'returned'
  ), of_customer, of_currency) + balance_regained_by_missing_money(of_customer, of_currency) > coalesce((
    select -balance from balances where customer_id = of_customer and account = 'customer_balance' and currency = of_currency
  ), 0)
$$;
