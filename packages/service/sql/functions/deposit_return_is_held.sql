-- Why the return of a deposit is not paid: the bank's statements lack its money, or the remitter's bank has taken it back already, or may have.
create or replace function deposit_return_is_held(of_return uuid) returns text language sql stable as $$
  select case
    when is_missing_deposit(r.deposit_id) then 'not_in_statement'
    when exists (
      select from entry_details e join reconciliation_exceptions x on x.entry_id = e.id and x.status = 'open'
      where e.returned_deposit_id = r.deposit_id and e.payment_state = 'mismatch') then 'deposit_returned'
    when exists (
      select from reconciliation_exceptions x
      where x.deposit_id = r.deposit_id and x.status = 'open' and x.type = 'returned') then 'deposit_returned'
  end
  from deposit_returns r where r.id = of_return
$$;
