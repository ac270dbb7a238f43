-- The tables that the feed lies in and when each ends, but for the default one: a day each, and what was there before the first.
-- `events` is about how many there are in it.
create or replace function event_days() returns table (name regclass, ends timestamptz, is_first boolean, events bigint)
language sql stable as $$
  select c.oid::regclass, substring(b.bound from 'TO \(''([^'']+)''\)')::timestamptz, b.bound like '%FROM (MINVALUE)%',
    greatest(c.reltuples, 0)::bigint
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
  where i.inhparent = 'events'::regclass and b.bound <> 'DEFAULT'
$$;
