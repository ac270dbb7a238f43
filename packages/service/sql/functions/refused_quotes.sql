-- Those of the items that may not be written, beside those that are known: their customer is suspended, or has as many open quotes as it may.
create or replace function refused_quotes(items quote_item[], heads spread_head[], known uuid[], at timestamptz, max_open int[])
returns table (n bigint, id uuid, customer_id uuid, key text, outcome text, open bigint) language plpgsql as $$
declare
  active uuid[];
begin
  -- Until the commit a suspension waits for this (suspend_after_quotes), and closes the quotes that are being written; what comes after it sees
  -- it. Where open quotes are counted, whoever makes others for the same customer waits too, so that the count is exact. Locking rows
  -- would write each of them, for 54 bytes of the log, and wait for those who execute or end other quotes.
  if max_open is null then
    perform pg_advisory_xact_lock_shared(7106, h.hash)
    from (select distinct uuid_hash(x.customer_id) as hash from unnest(heads) x order by 1) h;
  else
    perform pg_advisory_xact_lock(7106, h.hash)
    from (select distinct uuid_hash(x.customer_id) as hash from unnest(heads) x order by 1) h;
  end if;
  select array_agg(c.id) into active from customers c
  where c.id in (select h.customer_id from unnest(heads) h) and c.status = 'active';
  return query
    select i.ordinality, i.id, h.customer_id, i.key, 'customer_suspended', 0::bigint
    from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
    where i.id <> all (known) and (active is null or h.customer_id <> all (active));
  if max_open is null then return; end if;
  return query
    with wanted as (
      select i.ordinality as n, h.customer_id, i.id, i.key, max_open[i.ordinality] as most,
             row_number() over (partition by h.customer_id order by i.ordinality) as place
      from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
      where max_open[i.ordinality] is not null and i.id <> all (known) and h.customer_id = any (active)
    ), counted as (
      select w.customer_id,
             (select count(*) from (select from open_quotes_of(w.customer_id, at, null) limit w.most + 1) o) as open
      from wanted w where w.place = 1
    )
    select w.n, w.id, w.customer_id, w.key, 'too_many_open_quotes', c.open
    from wanted w join counted c on c.customer_id = w.customer_id where c.open + w.place > w.most;
end $$;
