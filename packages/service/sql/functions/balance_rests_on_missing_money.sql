-- Whether such money was brought into a balance and is no longer there: something was paid from it.
create or replace function balance_rests_on_missing_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select balance_brought_by(array(
    select e.deposit_id from entry_details e where e.missing_since is not null
  ), of_customer, of_currency) > 0 and balance_is_unbacked(of_customer, of_currency)
$$;
