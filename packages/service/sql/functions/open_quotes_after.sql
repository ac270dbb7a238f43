-- Open quotes of all customers that run out after an instant.
create or replace function open_quotes_after(after timestamptz) returns table (customer_id uuid, id uuid, pair text) language sql stable as $$
  select q.customer_id, q.id, q.pair
  from ends_of_open_quotes() e cross join lateral (
    select x.customer_id, x.id, x.pair, x.status, x.expires_at from quotes x
    where x.expires_at >= e.since and x.expires_at < e.before order by x.expires_at offset 0
  ) q
  where e.before > after and q.status = 'open' and q.expires_at > after
    and (select t.quote_id from transactions t where t.customer_id = q.customer_id and t.quote_id >= q.id
          order by t.customer_id, t.quote_id limit 1) is distinct from q.id
$$;
