-- The same positions from the books, as they are.
create or replace function booked_positions()
returns table (customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric)
language sql stable as $$
  select * from positions_before(null, null)
$$;
