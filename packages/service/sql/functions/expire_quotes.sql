-- Those of the given quotes that are open become expired, as of `at`, with the event of each; answers how many. Quotes and customers whose
-- row somebody holds are passed over.
create or replace function expire_quotes(customer_ids uuid[], ids uuid[], at timestamptz, id_time text) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  taken uuid[];
  free uuid[];
  moved int;
begin
  select array_agg(l.id) into taken from (
    select q.id from unnest(customer_ids, ids) as i (customer_id, id)
    join quotes q on q.customer_id = i.customer_id and q.id = i.id
    where q.status = 'open' order by q.customer_id, q.id for update of q skip locked) l;
  if taken is null then return 0; end if;
  select array_agg(f.customer_id) into free from (
    select u.customer_id from customer_usage u
    where u.customer_id = any (customer_ids) order by u.customer_id for update skip locked) f;
  with closed as (
    update quotes q set status = 'expired', version = q.version + 1, closed_at = at
    from unnest(customer_ids, ids) as i (customer_id, id)
    where q.customer_id = i.customer_id and q.id = i.id and i.id = any (taken) and i.customer_id = any (free)
      -- Looked at now that nobody executes one of theirs.
      and (select t.quote_id from transactions t where t.customer_id = q.customer_id and t.quote_id >= q.id
          order by t.customer_id, t.quote_id limit 1) is distinct from q.id
    returning q.customer_id, q.id, q.version, q.client_reference
  ), placed as (
    select c.*, row_number() over (partition by c.customer_id order by c.id) as place from closed c
  ), bumped as (
    update customer_usage u set last_event_sequence = u.last_event_sequence + n.events,
      feed_news = case when u.feed_news is not null then true end
    from (select c.customer_id, count(*) as events from closed c group by c.customer_id) n
    where u.customer_id = n.customer_id
    returning u.customer_id, u.last_event_sequence - n.events as before, replace(gen_random_uuid()::text, '-', '') as random
  ), announced as (
    insert into events (customer_id, sequence, id, type, at, quote_id, version, status, previous_status, client_reference)
    select p.customer_id, b.before + p.place,
           event_id(id_time || '7' || substr(b.random, 1, 3) || substr(b.random, 17, 4) || substr(b.random, 21, 2), b.before + p.place),
           'quote.expired', at, p.id, p.version, 'expired', 'open', p.client_reference
    from placed p join bumped b on b.customer_id = p.customer_id
  )
  select count(*) into moved from closed;
  return moved;
end $$;
