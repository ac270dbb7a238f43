-- Writes the keys of quotes. Those that were used before are answered, by the places of their items, with the quote that they made.
create or replace function claim_quote_keys(items quote_item[], heads spread_head[], at timestamptz, keys_expire_at timestamptz)
returns table (n int, fingerprint text, quote_id uuid) language plpgsql as $$
declare
  -- Of a fingerprint half is kept, which distinguishes two requests as well.
  digits constant int := 32;
begin
  insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
  select h.customer_id, 'quotes', i.key, left(i.fingerprint, digits), 'created', i.id, i.received_at, at, keys_expire_at
  from unnest(items) i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.key is not null order by h.customer_id, i.key collate "C";
exception when unique_violation then
  -- At least one was used before; what was written is undone.
  insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
  select h.customer_id, 'quotes', i.key, left(i.fingerprint, digits), 'created', i.id, i.received_at, at, keys_expire_at
  from unnest(items) i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.key is not null order by h.customer_id, i.key collate "C"
  -- A key past its retention is as if it had never been used.
  on conflict on constraint idempotency_keys_pkey do update set
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id, transaction_id = null,
    received_at = excluded.received_at, created_at = excluded.created_at, expires_at = excluded.expires_at
    where idempotency_keys.expires_at <= excluded.created_at;
  return query
    select i.ordinality::int, k.fingerprint, k.quote_id
    from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
    join idempotency_keys k on k.customer_id = h.customer_id and k.operation = 'quotes' and k.key = i.key
    where k.quote_id is distinct from i.id;
end $$;
