-- Whether such money was brought into a balance and is no longer there: something was paid from it.
create or replace function balance_rests_on_missing_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select balance_brought_by(array(select m.deposit_id from missing_deposits() m), of_customer, of_currency)
    + balance_regained_by_missing_money(of_customer, of_currency) > 0 and balance_is_unbacked(of_customer, of_currency)
$$;
