-- What the debit by which a remitter's bank took a deposit back was booked as, where the money had moved on and somebody bears it; otherwise null.
create or replace function recall_booked_as(of_deposit uuid) returns text language sql stable as $$
  select booked_as from entry_details
  where returned_deposit_id = of_deposit and payment_state = 'by_hand' and booked_as not in ('deposit', 'deposit_return') limit 1
$$;
