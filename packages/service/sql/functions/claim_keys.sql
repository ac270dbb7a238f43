-- Of the previous version: goes with the next.
create or replace function claim_keys(
  customer_ids uuid[], operations text[], keys text[], fingerprints text[], quote_ids uuid[], transaction_ids uuid[],
  received_ats timestamptz[], at timestamptz, expire_at timestamptz)
returns table (ord int, stored idempotency_keys)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  claimed bigint;
begin
  begin
    insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
                                  created_at, expires_at)
    select i.customer_id, i.operation, i.key, i.fingerprint, 'created', i.quote_id, i.transaction_id, i.received_at, at, expire_at
    from unnest(customer_ids, operations, keys, fingerprints, quote_ids, transaction_ids, received_ats)
      as i (customer_id, operation, key, fingerprint, quote_id, transaction_id, received_at)
    where i.key is not null order by i.customer_id, i.operation collate "C", i.key collate "C";
    return;
  exception when unique_violation then
    -- At least one was used before; what was written is undone.
  end;
  insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
                                created_at, expires_at)
  select i.customer_id, i.operation, i.key, i.fingerprint, 'created', i.quote_id, i.transaction_id, i.received_at, at, expire_at
  from unnest(customer_ids, operations, keys, fingerprints, quote_ids, transaction_ids, received_ats)
    as i (customer_id, operation, key, fingerprint, quote_id, transaction_id, received_at)
  where i.key is not null order by i.customer_id, i.operation collate "C", i.key collate "C"
  -- A key past its retention is as if it had never been used.
  on conflict (customer_id, operation, key) do update set
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id,
    transaction_id = excluded.transaction_id, received_at = excluded.received_at, created_at = excluded.created_at,
    expires_at = excluded.expires_at
    where idempotency_keys.expires_at <= excluded.created_at;
  get diagnostics claimed = row_count;
  if claimed = cardinality(array_remove(keys, null)) then return; end if;
  return query
    select i.n::int, k
    from unnest(customer_ids, operations, keys, quote_ids, transaction_ids) with ordinality
      as i (customer_id, operation, key, quote_id, transaction_id, n)
    join idempotency_keys k on k.customer_id = i.customer_id and k.operation = i.operation and k.key = i.key
    where (k.quote_id, k.transaction_id) is distinct from (i.quote_id, i.transaction_id);
end $$;
