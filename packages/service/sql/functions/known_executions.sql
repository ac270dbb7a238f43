-- Those of the items whose key was used before, with what the request came to then. The key of an execution is kept with its transaction;
-- keys of requests that came for a quote that is gone have rows of their own.
create or replace function known_executions(items execution_item[], at timestamptz, kept interval)
returns setof execution_result language plpgsql as $$
declare
  made execution_result;
begin
  for made in
    select i.ord, coalesce(k.outcome, 'created'), true,
           coalesce(k.fingerprint, case when t.fingerprint_id = text_id(i.fingerprint) then i.fingerprint else '' end),
           k.received_at, q.status, q.version, q.expires_at, q.closed_at, coalesce(k.transaction_id, q.transaction_id)
    from unnest(items) i
    cross join lateral (select * from current_quotes x where x.customer_id = i.customer_id and x.id = i.quote_id limit 1) q
    left join lateral (
      select x.fingerprint_id from transactions x
      where x.customer_id = i.customer_id and x.id = q.transaction_id and x.key_id = text_id(i.idempotency_key)
        and x.created_at > at - kept limit 1
    ) t on true
    left join lateral (
      select x.* from idempotency_keys x
      where x.customer_id = i.customer_id and x.operation = 'execute:' || i.quote_id and x.key = i.idempotency_key
        and x.expires_at > at limit 1
    ) k on true
    where i.idempotency_key is not null and (t.fingerprint_id is not null or k.key is not null)
  loop
    return next made;
  end loop;
end $$;
