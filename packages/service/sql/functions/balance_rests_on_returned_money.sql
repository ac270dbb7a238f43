-- Whether money that remitters' banks have taken back was brought into a balance and is no longer there, and that is not decided yet.
create or replace function balance_rests_on_returned_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select balance_brought_by(array(
    select x.deposit_id from reconciliation_exceptions x where x.status = 'open' and x.type = 'returned'
  ), of_customer, of_currency) > 0 and balance_is_unbacked(of_customer, of_currency)
$$;
