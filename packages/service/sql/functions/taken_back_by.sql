-- The deposit that an entry takes back, where it does.
create or replace function taken_back_by(e entry_details) returns uuid language sql immutable as $$
  select case when e.payment_state in ('applied', 'known') or (e.payment_state = 'by_hand' and e.booked_as = 'deposit')
    then e.returned_deposit_id end
$$;
