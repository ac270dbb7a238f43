-- The same positions from the books: the last closed day of each and the legs since.
create or replace function booked_positions()
returns table (customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric)
language sql stable as $$
  with closed as (select closed_through as day from ledger_closing)
  select b.customer_id, b.currency, d.bought_minor, d.bought_usd_minor, d.sold_minor, d.sold_usd_minor
  from balances b cross join lateral (
    select * from position_days p
    where p.customer_id = b.customer_id and p.currency = b.currency and p.day <= (select day from closed)
    order by p.day desc limit 1
  ) d
  where b.account = 'position'
  union all
  select l.customer_id, l.currency,
    case when l.is_bought then l.amount else 0 end, case when l.is_bought then l.usd_minor else 0 end,
    case when l.is_bought then 0 else -l.amount end, case when l.is_bought then 0 else -l.usd_minor end
  from position_legs l
  where l.entry_id >= coalesce(
    uuid_floor(((select day from closed) + 1)::timestamp at time zone 'UTC'), '00000000-0000-0000-0000-000000000000')
$$;
