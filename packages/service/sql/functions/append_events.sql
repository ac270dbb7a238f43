create or replace function append_events(batch json) returns table (ord int, sequence bigint)
language plpgsql as $$
declare
  items event_item[];
begin
  select array_agg(i) into items from json_populate_recordset(null::event_item, batch) i;
  perform 1 from customer_usage u
    where u.customer_id in (select i.customer_id from unnest(items) i) order by u.customer_id for update;
  return query
    with bumped as (
      update customer_usage u set last_event_sequence = u.last_event_sequence + n.events,
        feed_news = case when u.feed_news is not null then true end
      from (select i.customer_id, count(*) as events from unnest(items) i group by i.customer_id) n
      where u.customer_id = n.customer_id
      returning u.customer_id, u.last_event_sequence - n.events as before
    ), placed as (
      select i.*, b.before + row_number() over (partition by i.customer_id order by i.ord) as place
      from unnest(items) i join bumped b on b.customer_id = i.customer_id
    ), written as (
      insert into events (customer_id, sequence, id, type, at, quote_id, transaction_id, deposit_id,
                          version, status, previous_status, client_reference, detail)
      select p.customer_id, p.place, event_id(p.id_prefix, p.place), p.type, p.at, p.quote_id, p.transaction_id,
             p.deposit_id, p.version, p.status, p.previous_status, p.client_reference, p.detail
      from placed p
    )
    select p.ord, p.place from placed p;
end $$;
