-- Ids of a customer's open quotes that run out after an instant, and before another one where there is one. What runs for 30 seconds at most
-- was made in the 30 seconds before its end, and ids begin with when a quote was made; what runs longer has an index. Each order is that of the
-- index to be used.
create or replace function open_quotes_of(customer uuid, after timestamptz, before timestamptz) returns setof uuid language sql stable as $$
  select s.id from (
    select q.id, q.status, q.created_at, q.expires_at from quotes q
    where q.customer_id = customer and q.id >= uuid_floor(after - interval '30 seconds')
      and q.id < coalesce(uuid_floor(before), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by q.customer_id, q.id offset 0
  ) s
  where s.status = 'open' and (select t.quote_id from transactions t where t.customer_id = customer and t.quote_id >= s.id
          order by t.customer_id, t.quote_id limit 1) is distinct from s.id
    and s.expires_at > after and s.expires_at < coalesce(before, 'infinity')
    and s.expires_at - s.created_at <= interval '30 seconds'
  union all
  select l.id from (
    select q.id, q.status from quotes q
    where q.customer_id = customer and q.expires_at > after and q.expires_at < coalesce(before, 'infinity')
      and q.expires_at - q.created_at > interval '30 seconds'
    order by q.customer_id, q.expires_at offset 0
  ) l
  where l.status = 'open' and (select t.quote_id from transactions t where t.customer_id = customer and t.quote_id >= l.id
          order by t.customer_id, t.quote_id limit 1) is distinct from l.id
$$;
