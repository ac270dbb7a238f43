-- Keeps the keys of requests that came for a quote that is gone, with what they came to. Others decided nothing, and are free again. A key
-- past its retention is as if it had never been used.
create or replace function keep_execution_keys(
  items execution_item[], decisions execution_decision[], at timestamptz, keys_expire_at timestamptz)
returns void language plpgsql as $$
declare
  lasting constant text[] := '{quote_expired,quote_cancelled,quote_withdrawn,quote_already_executed}';
begin
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
  select i.customer_id, 'execute:' || i.quote_id, i.idempotency_key, i.fingerprint, d.outcome, i.quote_id, i.received_at, at,
         keys_expire_at
  from unnest(items) i join unnest(decisions) d on d.ord = i.ord
  where i.idempotency_key is not null and d.outcome = any (lasting)
  on conflict (customer_id, operation, key) do update set
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id, transaction_id = null,
    received_at = excluded.received_at, created_at = excluded.created_at, expires_at = excluded.expires_at
    where k.expires_at <= excluded.created_at;
end $$;
