-- Most quotes end by running out, so that is done without telling anybody which they are: written down row by row, and as
-- what close_quotes answers, it took longer than making them.

-- Moves up to `most` open quotes whose time is over to expired, with their events, oldest first, and answers how many. Quotes
-- that somebody else is just changing are passed over. `id_time`: the instant as the first twelve hex digits of a UUIDv7,
-- for the ids of the events; their random part is drawn once for each customer, as the sequence tells them apart.
create function expire_quotes(at timestamptz, id_time text, most int) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  customer_ids uuid[];
  ids uuid[];
  moved int;
begin
  select array_agg(d.customer_id), array_agg(d.id) into customer_ids, ids from (
    select q.customer_id, q.id from quotes q where q.status = 'open' and q.expires_at <= at
    order by q.expires_at limit most for update skip locked) d;
  if ids is null then return 0; end if;
  perform 1 from customer_usage u where u.customer_id = any (customer_ids) order by u.customer_id for update;
  with closed as (
    update quotes q set status = 'expired', version = q.version + 1, closed_at = at
    from unnest(customer_ids, ids) as i (customer_id, id) where q.customer_id = i.customer_id and q.id = i.id
    returning q.customer_id, q.id, q.version, q.client_reference
  ), placed as (
    select c.*, row_number() over (partition by c.customer_id order by c.id) as place from closed c
  ), bumped as (
    update customer_usage u set last_event_sequence = u.last_event_sequence + n.events
    from (select c.customer_id, count(*) as events from closed c group by c.customer_id) n
    where u.customer_id = n.customer_id
    returning u.customer_id, u.last_event_sequence - n.events as before, replace(gen_random_uuid()::text, '-', '') as random
  ), told as (
    insert into events (customer_id, sequence, id, type, at, quote_id, version, status, previous_status, client_reference)
    select p.customer_id, b.before + p.place,
           event_id(id_time || '7' || substr(b.random, 1, 3) || substr(b.random, 17, 4) || substr(b.random, 21, 2), b.before + p.place),
           'quote.expired', at, p.id, p.version, 'expired', 'open', p.client_reference
    from placed p join bumped b on b.customer_id = p.customer_id
  )
  select count(*) into moved from closed;
  return moved;
end $$;
