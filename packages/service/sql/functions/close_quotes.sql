-- Moves open quotes to a closed state other than executed, with the event of each, in one commit.
-- Compare and swap: answers only those that were still open. `kind` is cancelled, expired or withdrawn; `skip` passes
-- over quotes that somebody else is just changing, and over customers whom somebody holds: one of them must not keep the quotes of all others.
-- Customers are locked first, as executions do, which write nothing to a quote: who holds them sees every trade, and makes none meanwhile.
create or replace function close_quotes(
  customer_ids uuid[], ids uuid[], id_prefixes text[], kind text, reason text, at timestamptz, skip boolean)
returns setof quotes
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set lock_timeout = '250ms' as $$
declare
  open constant text := 'open';
  held uuid[];
  taken uuid[];
begin
  if skip then
    select array_agg(h.customer_id) into held from (
      select u.customer_id from customer_usage u where u.customer_id = any (customer_ids) order by u.customer_id for update skip locked) h;
  else
    perform 1 from customer_usage u where u.customer_id = any (customer_ids) order by u.customer_id for update;
  end if;
  -- A quote that ran out has expired, even if nobody has written that down yet; it cannot be withdrawn any more.
  if skip then
    select array_agg(l.id) into taken from (
      select q.id from quotes q join unnest(customer_ids, ids) as i (customer_id, id) on i.customer_id = q.customer_id and i.id = q.id
      where q.status = open and (kind <> 'withdrawn' or q.expires_at > at) and i.customer_id = any (held)
      order by q.customer_id, q.id for update of q skip locked) l;
  else
    select array_agg(l.id) into taken from (
      select q.id from quotes q join unnest(customer_ids, ids) as i (customer_id, id) on i.customer_id = q.customer_id and i.id = q.id
      where q.status = open and (kind <> 'withdrawn' or q.expires_at > at)
      order by q.customer_id, q.id for update of q) l;
  end if;
  if taken is null then return; end if;
  return query
    with moved as (
      update quotes q set status = kind, closed_at = at, status_reason = reason,
        -- Readers may have seen it as expired, with the next version: this is another. As in book_trades.
        version = q.version + case when kind <> 'expired' and at >= q.expires_at - interval '500 milliseconds' then 2 else 1 end
      from unnest(customer_ids, ids, id_prefixes) as i (customer_id, id, id_prefix)
      where q.customer_id = i.customer_id and q.id = i.id and i.id = any (taken)
        and (select t.quote_id from transactions t where t.customer_id = q.customer_id and t.quote_id >= q.id
          order by t.customer_id, t.quote_id limit 1) is distinct from q.id
      returning q as quote, i.id_prefix
    ), placed as (
      select m.quote, m.id_prefix, row_number() over (partition by (m.quote).customer_id order by (m.quote).id) as place
      from moved m
    ), bumped as (
      update customer_usage u set last_event_sequence = u.last_event_sequence + n.events,
        feed_news = case when u.feed_news is not null then true end
      from (select (p.quote).customer_id, count(*) as events from placed p group by 1) n
      where u.customer_id = n.customer_id
      returning u.customer_id, u.last_event_sequence - n.events as before
    ), announced as (
      insert into events (customer_id, sequence, id, type, at, quote_id, version, status, previous_status, client_reference)
      select (p.quote).customer_id, b.before + p.place, event_id(p.id_prefix, b.before + p.place), 'quote.' || kind, at,
             (p.quote).id, (p.quote).version, kind, open, (p.quote).client_reference
      from placed p join bumped b on b.customer_id = (p.quote).customer_id
    )
    select (m.quote).* from moved m;
end $$;
