-- Takes endpoints that have something to do, for as long as `until` says: up to so many of the quick and of the slow ones. Before
-- that those whose feed has gone on become due, and notifications of operators get their places. The mark of a feed is cleared in the same commit, where its row is free: who
-- holds it is writing an event, and does not wait for this. What was written after the mark was read is seen by whoever reads
-- the feed after this commit.
create or replace function claim_webhooks(at timestamptz, lease_id uuid, until timestamptz, quick int, slow int)
returns setof uuid language plpgsql set enable_seqscan = off as $$
declare
  owners uuid[];
begin
  -- One instance at a time, so that no two mark the same endpoints in different orders.
  if pg_try_advisory_xact_lock(7105, 0) then
    select array_agg(f.customer_id) into owners from (
      select u.customer_id from customer_usage u where u.feed_news limit 1000) f;
    if owners is not null then
      update webhook_endpoints e set has_news = true, due_at = case when e.lease is null then at else e.due_at end
      where e.customer_id = any (owners) and e.status = 'enabled' and not e.has_news;
      update customer_usage u set feed_news = false
      where u.customer_id in (
        select f.customer_id from customer_usage f where f.customer_id = any (owners) and f.feed_news
        for update skip locked);
    end if;
    if exists (select from operator_events o where o.place is null) then
      update operator_events o set place = n.place
      from (select nextval('operator_event_places') as place, w.id
            from (select x.id from operator_events x where x.place is null order by x.id limit 1000) w) n
      where o.id = n.id;
      update webhook_endpoints e set has_news = true, due_at = case when e.lease is null then at else e.due_at end
      where e.customer_id is null and e.status = 'enabled' and not e.has_news;
    end if;
  end if;
  return query
    update webhook_endpoints e set lease = lease_id, due_at = until, has_news = false
    where e.id in (
      select d.id from (
        select q.id from webhook_endpoints q where not q.is_slow and q.due_at <= at order by q.due_at limit quick
        for update skip locked) d
      union all
      select d.id from (
        select q.id from webhook_endpoints q where q.is_slow and q.due_at <= at order by q.due_at limit slow
        for update skip locked) d)
    returning e.id;
end $$;
