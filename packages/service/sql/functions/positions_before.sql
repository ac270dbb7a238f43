-- Positions from the books before an instant, of an owner or of all: the last closed day of each and the legs since. Null is no limit.
create or replace function positions_before(before timestamptz, owner uuid)
returns table (customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric)
language sql stable as $$
  with closed as (
    select case when closed_through >= (before at time zone 'UTC')::date then (before at time zone 'UTC')::date - 1
      else closed_through end as day
    from ledger_closing
  )
  select b.customer_id, b.currency, d.bought_minor, d.bought_usd_minor, d.sold_minor, d.sold_usd_minor
  from balances b cross join lateral (
    select * from position_days p
    where p.customer_id = b.customer_id and p.currency = b.currency and p.day <= (select day from closed)
    order by p.day desc limit 1
  ) d
  where b.account = 'position' and (owner is null or b.customer_id = owner)
  union all
  select l.customer_id, l.currency,
    case when l.is_bought then l.amount else 0 end, case when l.is_bought then l.usd_minor else 0 end,
    case when l.is_bought then 0 else -l.amount end, case when l.is_bought then 0 else -l.usd_minor end
  from position_legs l
  where l.entry_id >= coalesce(
    uuid_floor(((select day from closed) + 1)::timestamp at time zone 'UTC'), '00000000-0000-0000-0000-000000000000')
    and (before is null or l.entry_id < uuid_floor(before)) and (owner is null or l.customer_id = owner)
$$;
