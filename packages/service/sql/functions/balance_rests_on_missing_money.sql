-- Of the previous version: goes with the next.
create or replace function balance_rests_on_missing_money(of_customer uuid, of_currency text) returns boolean language sql stable as $$
  select exists (select from unbacked_balances() u
    where (u.of_customer, u.of_currency) = ($1, $2) and u.held = 'not_in_statement')
$$;
